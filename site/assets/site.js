// The script of the pages: search, the menu on phones, and buttons that copy code.

const { search: searchUrl, index: indexUrl } = document.querySelector('script[data-search]').dataset;

const element = (name, properties = {}, ...children) => {
  const created = Object.assign(document.createElement(name), properties);
  created.append(...children);
  return created;
};

function startMenu() {
  const button = document.querySelector('button.menu');
  const navigation = document.getElementById('navigation');
  const show = (isOpen) => {
    button.setAttribute('aria-expanded', String(isOpen));
    navigation.classList.toggle('closed', !isOpen);
  };
  button.hidden = false;
  show(false);
  button.addEventListener('click', () => show(button.getAttribute('aria-expanded') === 'false'));
}

function addCopyButtons() {
  // Browsers have no clipboard for pages over plain HTTP, except from localhost.
  if (navigator.clipboard === undefined) return;
  for (const block of document.querySelectorAll('.code')) {
    const button = element('button', { type: 'button', className: 'copy', textContent: 'Copy' });
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.querySelector('code').textContent).then(
        () => (button.textContent = 'Copied'),
        () => (button.textContent = 'Not allowed'),
      );
      setTimeout(() => (button.textContent = 'Copy'), 2000);
    });
    block.append(button);
  }
}

function startSearch() {
  const box = document.querySelector('.search');
  const input = box.querySelector('input');
  const results = box.querySelector('.results');
  let opening;
  let failures = 0;
  // Retry under a new address: browsers remember that a module failed to load.
  const load = async () => {
    const { openSearch } = await import(failures === 0 ? searchUrl : `${searchUrl}?${failures}`);
    return openSearch(indexUrl);
  };
  /** Resolves to the search function, or to undefined if it fails to load; the next call tries again. */
  const open = () =>
    (opening ??= load().catch(() => {
      failures += 1;
      opening = undefined;
    }));
  const links = () => [...results.querySelectorAll('a')];

  const show = async () => {
    const words = input.value.trim();
    results.hidden = words === '';
    if (words === '') return;
    const find = await open();
    // The words changed while the index loaded: a later call shows the results for the new words.
    if (words !== input.value.trim()) return;
    if (find === undefined) {
      const message = 'The search could not be loaded. Continue typing to try again.';
      results.replaceChildren(element('p', { textContent: message }));
      return;
    }
    const found = find(words);
    results.replaceChildren(
      ...(found.length === 0 ? [element('p', { textContent: `Nothing found for “${words}”.` })] : []),
      ...found.map(({ url, page, heading }) =>
        element(
          'a',
          { href: url },
          element('strong', { textContent: heading }),
          element('span', { textContent: page }),
        ),
      ),
    );
  };
  const move = (event, step) => {
    const stops = [input, ...links()];
    const at = stops.indexOf(document.activeElement);
    event.preventDefault();
    stops[(at + step + stops.length) % stops.length].focus();
  };
  const close = () => {
    results.hidden = true;
    input.focus();
  };

  box.hidden = false;
  input.addEventListener('focus', () => void open());
  input.addEventListener('input', () => void show());
  box.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') move(event, 1);
    else if (event.key === 'ArrowUp') move(event, -1);
    else if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && event.target === input) links()[0]?.click();
  });
  document.addEventListener('click', (event) => {
    if (!box.contains(event.target)) results.hidden = true;
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target.matches('input, textarea')) return;
    event.preventDefault();
    input.focus();
  });
}

startMenu();
addCopyButtons();
startSearch();
