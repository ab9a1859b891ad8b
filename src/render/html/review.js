// The page of a review: shows, hides and orders what stands in the page, and moves the focus. Makes no element of text.
'use strict';
(() => {
  const form = document.getElementById('filters');
  if (!form) return;
  form.hidden = false;
  const list = document.getElementById('list');
  const shown = document.getElementById('shown');
  const search = document.getElementById('search');
  const findings = [...list.querySelectorAll('.finding')];
  const texts = new Map(findings.map((one) => [one, one.textContent.toLowerCase()]));
  const names = ['severity', 'certainty', 'category', 'rule', 'file'];
  const groupOf = new Map([...list.querySelectorAll('.group')].map((one) => [one.nextElementSibling.dataset.severity, one.textContent]));

  function allowed(name) {
    const boxes = [...form.querySelectorAll(`input[name="${name}"]`)];
    return boxes.length === 0 ? null : new Set(boxes.filter((box) => box.checked).map((box) => box.value));
  }

  function filter() {
    const sets = names.map((name) => [name, allowed(name)]).filter(([, set]) => set);
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const one of findings) {
      const fits = sets.every(([name, set]) => set.has(one.dataset[name])) && words.every((word) => texts.get(one).includes(word));
      one.hidden = !fits;
      count += fits;
    }
    for (const group of list.querySelectorAll('.group')) {
      let next = group.nextElementSibling;
      while (next && next.hidden && next.classList.contains('finding')) next = next.nextElementSibling;
      group.hidden = !next || !next.classList.contains('finding');
    }
    shown.textContent = count === findings.length ? `All ${count} are shown.` : `${count} of ${findings.length} are shown.`;
  }

  function order() {
    const byFile = form.elements.order.value === 'file';
    const sorted = [...findings];
    if (byFile) sorted.sort((a, b) => (a.dataset.file < b.dataset.file ? -1 : a.dataset.file > b.dataset.file ? 1 : a.dataset.line - b.dataset.line));
    list.replaceChildren();
    let last = null;
    for (const one of sorted) {
      const key = byFile ? one.dataset.file : one.dataset.severity;
      if (key !== last) {
        const group = document.createElement('h3');
        group.className = 'group';
        group.textContent = byFile ? key : groupOf.get(key);
        list.append(group);
      }
      last = key;
      list.append(one);
    }
    filter();
  }

  function step(by) {
    const open = [...list.querySelectorAll('.finding')].filter((one) => !one.hidden);
    if (open.length === 0) return;
    const at = open.findIndex((one) => one.contains(document.activeElement));
    const next = open[at < 0 ? (by > 0 ? 0 : open.length - 1) : Math.min(open.length - 1, Math.max(0, at + by))];
    next.focus();
    next.scrollIntoView({block: 'nearest'});
  }

  function press(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || !document.getElementById('keys').checked) return;
    const inText = event.target instanceof HTMLInputElement && event.target.type === 'search';
    if (inText && event.key === 'Escape') event.target.blur();
    if (inText) return;
    const current = document.activeElement && document.activeElement.closest('.finding');
    if (event.key === 'j') step(1);
    else if (event.key === 'k') step(-1);
    else if (event.key === '/') search.focus();
    else if (event.key === 'e' && current) for (const one of current.querySelectorAll('details')) one.open = !one.open;
    else return;
    event.preventDefault();
  }

  form.addEventListener('input', (event) => (event.target.name === 'order' ? order() : filter()));
  form.addEventListener('reset', () => setTimeout(order));
  form.addEventListener('submit', (event) => event.preventDefault());
  document.addEventListener('keydown', press);
  window.addEventListener('beforeprint', () => { for (const one of document.querySelectorAll('details')) one.open = true; });
  order();
})();
