'use strict';
// Copying, and the escape key where an image is enlarged. All else on a page works without a script.
if (navigator.clipboard) document.documentElement.classList.add('scripted');
document.addEventListener('click', event => {
  const button = event.target.closest('button.copy');
  if (!button) return;
  const code = button.closest('.code').querySelector('pre, .json');
  const tell = text => {
    button.textContent = text;
    setTimeout(() => { button.textContent = 'Copy' }, 1500);
  };
  navigator.clipboard.writeText(code.textContent).then(() => tell('Copied'), () => tell('Not copied'));
});
document.addEventListener('keydown', event => {
  if (event.key !== 'Escape') return;
  const all = document.querySelectorAll('.artifact:is(:target, :has(:target)) > .close');
  const open = [...all].find(each => each.getClientRects().length > 0);
  if (open) open.click();
});
