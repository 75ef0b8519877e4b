// Chooses the colours before the first paint, so that a remembered choice does not flash the others.
// data-choice is what the reader chose (system, light, dark), data-theme what is shown.
(() => {
  const root = document.documentElement;
  const dark = matchMedia('(prefers-color-scheme: dark)');

  const apply = () => {
    const { choice } = root.dataset;
    root.dataset.theme = choice === 'system' ? (dark.matches ? 'dark' : 'light') : choice;
    document.dispatchEvent(new Event('sluice:theme'));
  };

  const remembered = () => {
    try {
      return localStorage.getItem('sluice.theme');
    } catch {
      return null; // Storage may be forbidden; then the system's choice holds.
    }
  };

  root.dataset.choice = ['light', 'dark'].includes(remembered()) ? remembered() : 'system';
  apply();
  dark.addEventListener('change', apply);
  document.addEventListener('sluice:choice', apply);
})();
