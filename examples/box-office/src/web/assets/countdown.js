// Counts a hold down from the seconds left by the booking service's clock, which are in the page. The browser only
// measures the time passed, by the clock that shows more: one stops while a phone sleeps, the other can be set.
const shown = document.querySelector('[data-seconds-left]');
if (shown !== null) {
  const whole = Number(shown.getAttribute('data-seconds-left'));
  const status = document.querySelector('[data-countdown-status]');
  const started = { wall: Date.now(), steady: performance.now() };
  const said = new Set();
  const tick = () => {
    const passedMs = Math.max(Date.now() - started.wall, performance.now() - started.steady);
    const left = Math.max(0, Math.floor(whole - passedMs / 1000));
    shown.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
    // Announce it at most three times: a screen reader that counts seconds does not help.
    const warning = [30, 60, 300].findLast((each) => left <= each && whole > each && !said.has(each));
    if (warning !== undefined && status !== null) {
      for (const each of [30, 60, 300]) if (each >= warning) said.add(each);
      status.textContent = left > 90 ? 'Five minutes left.' : `${left} seconds left.`;
    }
    if (left > 0) return;
    clearInterval(timer);
    // Load the order's page. A reload could send a form again.
    location.replace(shown.getAttribute('data-order'));
  };
  const timer = setInterval(tick, 500);
  tick();
}
