// Counts a hold down. The server has put in the seconds that are left by the booking service's clock; this machine's is not asked what
// time it is, only how much has passed, by whichever of its clocks says more: one stops while a phone sleeps, one can be set.
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
    // Read out seldom: a voice that counts seconds is no help.
    const warning = [30, 60, 300].findLast((each) => left <= each && whole > each && !said.has(each));
    if (warning !== undefined && status !== null) {
      for (const each of [30, 60, 300]) if (each >= warning) said.add(each);
      status.textContent = left > 90 ? 'Five minutes left.' : `${left} seconds left.`;
    }
    if (left > 0) return;
    clearInterval(timer);
    // Not again what has brought this page, which may have been a form.
    location.replace(shown.getAttribute('data-order'));
  };
  const timer = setInterval(tick, 500);
  tick();
}
