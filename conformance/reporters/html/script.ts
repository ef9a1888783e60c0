/** The script of the page: filters by text and copies commands. The page is complete without it. */

import { markup } from '../markup.ts';

/** The same for every report: no text of a report is ever put into it. */
export const script = markup`
'use strict';
const search = document.querySelector('#search');
const judged = [...document.querySelectorAll('.judged')];
const groups = [...document.querySelectorAll('.group, #failures, #warnings, #waived-failures')];
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
