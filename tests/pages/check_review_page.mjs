// The page of `review --html` and `check --html` in a real browser: findings with their code and evidence, filters, order,
// search and keys; nothing is fetched, nothing is reported on the console, axe-core finds nothing serious; a hostile
// repository runs nothing; a page that somebody wrote a script into does not run it. node check_review_page.mjs LOCKSTEP
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';

import {
  ATTACK, checkAccessible, checkLinks, exampleRepository, folder, hostileRepository, keepPicture, lockstep, openPage, withBrowser,
} from './browser.mjs';

function write(repository, name, ...words) {
  const file = path.join(folder, `${name}.html`);
  const printed = execFileSync(lockstep, [...words, '-C', repository, '--quiet', '--html', file], {encoding: 'utf8'});
  assert.equal(printed, '', `${name}: the page goes to its file alone`);
  return file;
}

const visible = (page) => page.locator('.finding:visible');
const shownFiles = (page) => page.evaluate(() => [...document.querySelectorAll('.finding')].filter((one) => !one.hidden)
    .map((one) => one.dataset.file));

async function checkContent(page, repository) {
  const findings = JSON.parse(execFileSync(lockstep, ['review', 'HEAD', '-C', repository, '--quiet', '--format', 'json'],
      {encoding: 'utf8'})).findings;
  assert.ok(findings.length >= 8, 'the example has faults');
  assert.equal(await page.locator('.finding').count(), findings.length);
  for (const [at, finding] of findings.entries()) {
    const article = page.locator(`#f${at + 1}`);
    const text = await article.innerText();
    for (const word of [finding.severity, finding.rule, `${finding.path}:${finding.start_line}`, finding.certainty])
      assert.ok(text.includes(word), `${finding.rule}: no ${word}`);
    // The marked lines are the file's.
    const lines = readFileSync(path.join(repository, finding.path), 'utf8').split('\n').slice(finding.start_line - 1, finding.end_line);
    const marked = await article.locator('.code').first().locator('.marked').allInnerTexts();
    assert.deepEqual(marked.map((line) => line.replace(/\n$/, '').slice(6)), lines.slice(0, marked.length), finding.rule);
    assert.ok(marked.length > 0, finding.rule);
    assert.equal(await article.locator('.evidence li').count(), finding.evidence.length, finding.rule);
  }
  assert.ok(await page.locator('.evidence .code').count() > 0, 'evidence has its code');
  assert.ok(await page.locator('#pictures svg').count() > 0, 'pictures');
  assert.ok((await page.locator('#summary').innerText()).includes('What:'), 'summary');
}

async function checkFilters(page) {
  const all = await visible(page).count();
  const first = await page.locator('input[name="severity"]').first().getAttribute('value');
  await page.locator(`input[name="severity"][value="${first}"]`).uncheck();
  assert.equal(await page.locator(`.finding.${first}:visible`).count(), 0, 'a severity that is not wanted');
  assert.ok(await visible(page).count() < all && await visible(page).count() > 0);
  assert.match(await page.locator('#shown').innerText(), new RegExp(`^${await visible(page).count()} of ${all}`));
  const headings = await page.locator('#list .group:visible').allInnerTexts();
  assert.ok(headings.every((text) => !text.startsWith(first)), 'a heading without findings');
  await page.locator('button[type="reset"]').click();
  await page.waitForFunction((count) => document.querySelectorAll('.finding:not([hidden])').length === count, all);
  await page.locator('input[name="order"][value="file"]').check();
  const files = await shownFiles(page);
  assert.deepEqual(files, [...files].sort(), 'ordered by file');
  assert.deepEqual(await page.locator('#list .group:visible').allInnerTexts(), [...new Set(files)]);
  const one = files[0];
  for (const box of await page.locator('input[name="file"]').all())
    if (await box.getAttribute('value') !== one) await box.uncheck();
  assert.deepEqual([...new Set(await shownFiles(page))], [one], 'one file');
  await page.locator('button[type="reset"]').click();
  await page.waitForFunction((count) => document.querySelectorAll('.finding:not([hidden])').length === count, all);
  await page.locator('#search').fill('undefined-name');
  assert.ok(await visible(page).count() >= 1 && await visible(page).count() < all, 'search');
  await page.locator('#search').fill('');
}

async function checkKeys(page) {
  await page.locator('#search').press('Escape');
  const focus = () => page.evaluate(() => document.activeElement.id);
  await page.keyboard.press('j');
  const first = await focus();
  assert.match(first, /^f\d+$/);
  await page.keyboard.press('j');
  assert.notEqual(await focus(), first);
  await page.keyboard.press('k');
  assert.equal(await focus(), first);
  const open = () => page.evaluate(() => document.querySelectorAll('details[open]').length);
  const withEvidence = page.locator('.finding:has(.evidence)').first();
  await withEvidence.focus();
  await page.keyboard.press('e');
  assert.equal(await open(), 1);
  await page.keyboard.press('/');
  assert.equal(await focus(), 'search');
  await page.keyboard.type('jke');
  assert.equal(await page.locator('#search').inputValue(), 'jke', 'keys are letters in the search');
  await page.locator('#search').fill('');
  await page.locator('#keys').uncheck();
  await page.locator('main h1').click();
  await page.keyboard.press('/');
  assert.notEqual(await focus(), 'search', 'keys can be switched off');
  // Everything that can be worked with can be reached by Tab.
  const reached = new Set();
  await page.evaluate(() => document.activeElement.blur());
  const wanted = ['search', 'severity', 'order', 'keys', 'PRE'];
  for (let i = 0; i < 500 && wanted.some((name) => !reached.has(name)); ++i) {
    await page.keyboard.press('Tab');
    reached.add(await page.evaluate(() => document.activeElement.name || document.activeElement.id || document.activeElement.tagName));
  }
  for (const name of wanted) assert.ok(reached.has(name), `Tab does not reach ${name}`);
}

async function checkPage(browser, file, name, repository, isHostile) {
  const {page, noise} = await openPage(browser, file);
  assert.equal(await page.title(), await page.evaluate(() => document.querySelector('h1').textContent), `${name}: title`);
  assert.equal(await page.locator('iframe, object, embed, link, img, [onload], [onerror]').count(), 0, name);
  assert.equal(await page.locator('script').count(), 1, name);
  await checkLinks(page, name);
  await checkAccessible(page, name);
  await page.emulateMedia({colorScheme: 'light'});
  await keepPicture(page, name);
  if (repository) {
    await checkContent(page, repository);
    await checkFilters(page);
    await checkKeys(page);
  }
  if (isHostile) assert.ok((await page.locator('main').innerText()).includes(ATTACK.slice(0, 30)), `${name}: words`);
  assert.deepEqual(noise, [], `${name}: console and network`);
  await page.close();
}

/// A script that got into the page all the same is not run.
async function checkPolicy(browser, file) {
  const attacked = path.join(folder, 'attacked.html');
  writeFileSync(attacked, readFileSync(file, 'utf8').replace('</main>',
      '<script>document.title = "ran"</script><img src=x onerror="document.title=\'ran\'"><script src="https://example.org/x.js"></script></main>'));
  const {page, noise} = await openPage(browser, attacked);
  assert.notEqual(await page.title(), 'ran');
  assert.ok(noise.some((line) => line.includes('Content Security Policy')), 'the policy says nothing');
  await page.close();
}

await withBrowser(async (browser) => {
  const example = exampleRepository(2);
  const review = write(example, 'review', 'review', 'HEAD');
  await checkPage(browser, review, 'review', example, false);
  await checkPage(browser, write(example, 'check', 'check'), 'check', null, false);
  const hostile = hostileRepository();
  await checkPage(browser, write(hostile, 'hostile-review', 'review', 'HEAD'), 'hostile-review', null, true);
  await checkPage(browser, write(hostile, 'hostile-check', 'check'), 'hostile-check', null, false);
  await checkPolicy(browser, review);
  const again = write(example, 'again', 'review', 'HEAD');
  assert.equal(readFileSync(again, 'utf8'), readFileSync(review, 'utf8'), 'the same input gives the same page');
  assert.equal(execFileSync(lockstep, ['review', 'HEAD', '-C', example, '--format', 'html'], {encoding: 'utf8'}), readFileSync(review, 'utf8'));
});
console.log('the pages of review and check hold');
