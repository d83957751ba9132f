// What users do with the extension's pages.

/** Connects an analytics service. */
export async function useAnalytics(browser, url, token) {
  await browser.allow('http://127.0.0.1/*');
  const page = await browser.options();
  await page.getByRole('radio', { name: /Analytics service/ }).check();
  await page.getByLabel('Address of the service').fill(url);
  await page.getByRole('textbox', { name: 'Token' }).fill(token);
  await page.getByRole('button', { name: 'Save' }).first().click();
  await page.getByText('Connected. Games that wait are sent now.').waitFor();
  await page.close();
}

/** Pairs with a daemon. */
export async function pair(browser, daemon) {
  await browser.allow('http://127.0.0.1/*');
  const page = await browser.options();
  await page.getByLabel('Address of dicechess-sync').fill(daemon.url);
  await page.getByLabel('Pairing code').fill(daemon.pairingCode().toLowerCase());
  await page.getByRole('button', { name: 'Pair' }).click();
  await page.getByText('Connected. Games that wait are sent now.').waitFor();
  await page.close();
}
