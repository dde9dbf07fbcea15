'use strict';
// Copying, and the keyboard where an image is enlarged. All else on a page works without a script.
document.documentElement.classList.add('scripted');
document.addEventListener('click', event => {
  const button = event.target.closest('button.copy');
  if (!button) return;
  const code = button.closest('.code').querySelector('code');
  const done = text => {
    button.textContent = text;
    setTimeout(() => { button.textContent = 'Copy' }, 1500);
  };
  navigator.clipboard.writeText(code.textContent).then(() => done('Copied'), () => done('Failed'));
});
document.addEventListener('keydown', event => {
  if (event.key !== 'Escape') return;
  const open = document.querySelector('.artifact:target .close');
  if (open) open.click();
});
