// The pages of `explain --html` and `dive --html` in a real browser: of the example feature and of a repository whose every
// word tries to break out. Nothing runs, nothing is fetched, nothing is reported on the console, axe-core finds nothing
// serious in light and dark, every link leads somewhere, the sides of a difference can be switched, print leaves the
// contents out. node check_pages.mjs LOCKSTEP
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import path from 'node:path';

import {
  ATTACK, checkAccessible, checkLinks, exampleRepository, folder, hostileRepository, keepPicture, lockstep, openPage, withBrowser,
} from './browser.mjs';

async function checkSides(page, name, kind) {
  const added = page.locator('.sides .add:visible');
  const removed = page.locator('.sides .del:visible');
  const both = [await added.count(), await removed.count()];
  if (kind === 'explain') assert.ok(both[0] > 0, `${name}: no difference is shown`);
  for (const side of ['old', 'new']) {
    for (const label of await page.locator(`.sides input.${side} + label`).all()) await label.click();
    const shown = [await added.count(), await removed.count()];
    assert.deepEqual(shown, side === 'old' ? [0, both[1]] : [both[0], 0], `${name}: ${side}`);
  }
}

async function checkPrint(page, name) {
  await page.emulateMedia({media: 'print'});
  assert.equal(await page.locator('nav').isVisible(), false, `${name}: contents on paper`);
  assert.ok(await page.locator('main').isVisible(), name);
  await page.emulateMedia({media: 'screen'});
}

async function checkPage(browser, repository, kind, isHostile) {
  const name = `${path.basename(repository)} ${kind}`;
  const file = path.join(folder, `${name.replace(' ', '-')}.html`);
  const printed = execFileSync(lockstep, [kind, 'HEAD', '-C', repository, '--quiet', '--html', file], {encoding: 'utf8'});
  assert.equal(printed, '', `${name}: the page goes to its file alone`);
  const {page, noise} = await openPage(browser, file);
  const expected = await page.evaluate(() => document.querySelector('h1').textContent);
  assert.equal(await page.title(), expected, `${name}: title`);
  assert.equal(await page.locator('script, iframe, object, embed, link, img, [onload], [onerror]').count(), 0, name);
  assert.ok(await page.locator('nav a').count() > 4, `${name}: contents`);
  if (isHostile) assert.ok((await page.locator('main').innerText()).includes(ATTACK.slice(0, 30)), `${name}: words`);
  if (!isHostile) assert.ok(await page.locator('figure.diagram svg').count() > 0, `${name}: drawings`);
  if (!isHostile) assert.ok(await page.locator('pre .k').count() > 0, `${name}: colours`);
  await checkLinks(page, name);
  await checkAccessible(page, name);
  await keepPicture(page, name.replace(' ', '-'));
  await checkSides(page, name, kind);
  await checkPrint(page, name);
  assert.deepEqual(noise, [], `${name}: console and network`);
  await page.close();
}

await withBrowser(async (browser) => {
  for (const [repository, isHostile] of [[exampleRepository(), false], [hostileRepository(), true]]) {
    for (const kind of ['explain', 'dive']) await checkPage(browser, repository, kind, isHostile);
  }
});
console.log('4 pages checked');
