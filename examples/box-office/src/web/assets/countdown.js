// Counts down from the hold's seconds left, which the page has from the booking service's clock. The browser only
// measures elapsed time, and uses the larger of two clocks: one stops while a phone sleeps, the other can be set back.
const display = document.querySelector('[data-seconds-left]');
if (display !== null) {
  const initialSeconds = Number(display.getAttribute('data-seconds-left'));
  const status = document.querySelector('[data-countdown-status]');
  const started = { wall: Date.now(), steady: performance.now() };
  const announced = new Set();
  const tick = () => {
    const passedMs = Math.max(Date.now() - started.wall, performance.now() - started.steady);
    const left = Math.max(0, Math.floor(initialSeconds - passedMs / 1000));
    display.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
    // Announce at most three times: a screen reader that counts every second is a nuisance.
    const warning = [30, 60, 300].findLast((each) => left <= each && initialSeconds > each && !announced.has(each));
    if (warning !== undefined && status !== null) {
      for (const each of [30, 60, 300]) if (each >= warning) announced.add(each);
      status.textContent = left > 90 ? 'Five minutes left.' : `${left} seconds left.`;
    }
    if (left > 0) return;
    clearInterval(timer);
    // Load the order's page. A reload could send a form again.
    location.replace(display.getAttribute('data-order'));
  };
  const timer = setInterval(tick, 500);
  tick();
}
