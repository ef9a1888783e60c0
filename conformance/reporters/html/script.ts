/** What the page does beyond what its markup does: filter by text, and copy commands. It reads well without. */

import { markup } from '../markup.ts';

/** The script of the page, the same for every report: nothing of a report is ever put into it. */
export const script = markup`
'use strict';
const search = document.querySelector('#search');
const judged = [...document.querySelectorAll('.judged')];
const groups = [...document.querySelectorAll('.group, #causes')];
const requirements = judged.filter((one) => one.matches('.requirement'));
function filter() {
  const wanted = search.value.trim().toLowerCase();
  for (const one of judged) one.hidden = !one.textContent.toLowerCase().includes(wanted);
  for (const group of groups) group.hidden = false;
  for (const group of groups) group.hidden = ![...group.querySelectorAll('.judged')].some((one) => one.checkVisibility());
  const shown = requirements.filter((one) => one.checkVisibility()).length;
  document.querySelector('#shown').textContent = shown + ' of ' + requirements.length + ' requirements shown';
}
search.closest('label').hidden = false;
document.querySelector('.filter').addEventListener('input', filter);
filter();

async function copy(button) {
  const command = button.parentElement.querySelector('code');
  getSelection().selectAllChildren(command);
  try {
    await navigator.clipboard.writeText(command.textContent);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Selected';
  }
}
for (const button of document.querySelectorAll('.copy')) {
  button.hidden = false;
  button.addEventListener('click', () => copy(button));
}
`;
