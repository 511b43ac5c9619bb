import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ScanReport } from '@sandbox-jobs/contract/resources/builds/scan-report.ts'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packContext } from '../../cli/push/pack-context.ts'
import { checkout, type Service } from '../main-job/service.ts'
import { openService } from '../main-job/shared-service.ts'
import {
  buildTestMs,
  loseAnswer,
  newContext,
  openPage,
  signIn,
  startBrowser,
  waitForBuild,
  waitForScreen,
} from './console-browser.ts'
import { hostileName, storedTexts, tracesOf } from './hostile-texts.ts'

/** An author makes an environment from an archive and watches its build. */
let service: Service
let browser: Browser
let page: Page
let faults: string[]
let archive: { name: string; mimeType: string; buffer: Buffer }

beforeAll(async () => {
  service = await openService()
  archive = await archiveOf(join(checkout, 'examples/sales-report'))
  browser = await startBrowser()
  ;({ page, faults } = await openPage(await newContext(browser)))
  await page.goto(`${service.url}/console/environments`)
  await signIn(page, service.user, service.password)
  await page.getByRole('heading', { level: 1, name: 'Environments' }).waitFor()
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

async function archiveOf(folder: string) {
  const packed = await packContext(folder)
  try {
    return {
      name: 'sales-report.tar.gz',
      mimeType: 'application/gzip',
      buffer: await readFile(packed.path),
    }
  } finally {
    await packed.remove()
  }
}

/** The same with one more package, and a program that runs as its owner. */
async function changedArchive() {
  const folder = await mkdtemp(join(tmpdir(), 'changed-archive-'))
  try {
    await cp(join(checkout, 'examples/sales-report'), folder, { recursive: true })
    await writeFile(join(folder, 'METADATA'), 'Metadata-Version: 2.1\nName: extra-tools\nVersion: 1.0\n')
    await appendFile(join(folder, '.dockerignore'), '!METADATA\n')
    await appendFile(
      join(folder, 'Dockerfile'),
      'COPY METADATA /app/extra_tools-1.0.dist-info/METADATA\nRUN chmod u+s /app/sales_report.py\n',
    )
    return await archiveOf(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

test('a file that is no archive is refused in words', async () => {
  await page.getByRole('link', { name: 'New environment' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('sales tools')
  const text = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no archive') }
  await page.locator('input[type=file]').setInputFiles(text)
  await page.getByRole('button', { name: 'Upload and build' }).click()
  await page.getByText('An archive ends with').waitFor()
})

test('an upload that failed goes on where it stopped, and makes one environment', async () => {
  await page.locator('input[type=file]').setInputFiles(archive)
  // The environment is made, and its answer is lost. So is the request to check the archive.
  await page.route(/\/environments$/, loseAnswer, { times: 1 })
  await page.route(/\/context-uploads\/[^/]+\/complete$/, (route) => route.abort(), { times: 1 })
  await page.getByRole('button', { name: 'Upload and build' }).click()
  for (let failures = 0; failures < 2; failures++) {
    await page.getByText('The service does not answer.').waitFor()
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByText('The service does not answer.').waitFor({ state: 'detached' })
  }
  await page.getByRole('heading', { level: 1, name: 'Build 1 of sales tools' }).waitFor()
})

test('a build shows its stages and its log until it ends', { timeout: buildTestMs }, async () => {
  await waitForBuild(page)
  await page.getByText('Dockerfile', { exact: true }).first().waitFor()
  await page.getByText('STEP').first().waitFor()
})

test('the version is ready, and the environment has it alone', async () => {
  await page.getByRole('link', { name: 'Version 1', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Version 1 of sales tools' }).waitFor()
  await page.getByText('Ready', { exact: true }).waitFor()
  await page.goto(`${service.url}/console/environments`)
  await page.getByRole('link', { name: 'sales tools' }).waitFor()
  expect(await page.getByRole('link', { name: 'sales tools' }).count()).toBe(1)
})

test('a version shows its packages and the statement about its image', async () => {
  await page.getByRole('link', { name: 'sales tools' }).click()
  await page.getByRole('link', { name: 'Version 1', exact: true }).click()
  await page.getByRole('link', { name: 'Packages' }).click()
  const search = page.getByRole('searchbox', { name: 'Search packages' })
  await search.pressSequentially('bc6')
  await search.press('Home')
  await search.pressSequentially('li')
  await page.getByRole('gridcell', { name: 'libc6', exact: true }).waitFor()
  await page.reload()
  expect(await search.inputValue()).toBe('libc6')
  await page.getByRole('link', { name: 'Provenance' }).click()
  await page.getByText('curated/python:3.13').first().waitFor()
  await page.getByText('a key of this service').waitFor()
  const saved = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download the statement' }).click()
  const statement = await (await saved).path()
  expect(JSON.parse(await readFile(statement, 'utf8'))).toMatchObject({ signatures: [{}] })
})

test('a further version comes from another archive', { timeout: buildTestMs }, async () => {
  await page.getByRole('link', { name: 'sales tools' }).click()
  await page.getByRole('link', { name: 'New version' }).click()
  await page.locator('input[type=file]').setInputFiles(await changedArchive())
  const followed = page.waitForRequest(/\/events\?topics=[^&]*build/)
  await page.getByRole('button', { name: 'Upload and build' }).click()
  await followed
  await page.getByRole('heading', { level: 1, name: 'Build 1 of sales tools' }).waitFor()
  await waitForBuild(page)
  await page.getByRole('link', { name: 'Version 2', exact: true }).click()
  await page.getByText('Ready', { exact: true }).waitFor()
})

test('two versions are compared by their packages and findings', async () => {
  const held = Promise.withResolvers<void>()
  await page.route('**/provenance', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.getByRole('link', { name: 'Compare' }).click()
  await page.getByRole('combobox', { name: 'Compared with' }).waitFor()
  await page.getByText('1 added, 0 removed, 0 with another version').waitFor()
  await page.getByRole('gridcell', { name: 'extra-tools', exact: true }).waitFor()
  await page.getByText('1 new finding', { exact: true }).waitFor()
  expect(await page.getByText('the same').count()).toBe(0)
  held.resolve()
  await page
    .getByRole('row', { name: /Base images/ })
    .getByText('the same')
    .waitFor()
})

test('texts of an image stay text', async () => {
  const [, version = ''] = /console\/(environments\/\w+\/versions\/\w+)/.exec(page.url()) ?? []
  const texts = [hostileName.name, ...storedTexts.filter((_, at) => at % 16 === 0)]
  await page.route(`**/${version}/builds/*/sbom`, (route) =>
    route.fulfill({
      json: { components: texts.map((name) => ({ type: 'library', name, version: name })) },
    }),
  )
  const report: Partial<ScanReport> = {
    system: { id: 'debian', version: '12', name: hostileName.name },
    ...{ file_count: 1, byte_count: 1, package_count: 1, truncated: false, unread: [] },
    vulnerability_database: null,
    finding_counts: { critical: 0, high: texts.length, medium: 0, low: 0, unknown: 0 },
    findings: texts.map((text) => ({
      ...{ kind: 'vulnerability', rule: 'CVE-1', severity: 'high', subject: text, title: text },
      ...{ installed_version: text, fixed_version: text },
    })),
  }
  await page.route(`**/${version}/builds/*/report`, (route) => route.fulfill({ json: report }))
  for (const part of ['packages', 'findings', 'compare']) {
    await page.goto(`${service.url}/console/${version}/${part}`)
    await page.getByText(hostileName.shown).first().waitFor()
    await waitForScreen(page)
    expect(await tracesOf(page), part).toEqual([])
  }
  await page.unrouteAll()
})

test('a finding is accepted with a reason, and counts again when that is revoked', async () => {
  await page.getByRole('link', { name: 'sales tools' }).click()
  await page.getByRole('link', { name: 'Findings' }).click()
  const finding = page.getByRole('listitem').filter({ hasText: 'app/sales_report.py' })
  await finding.getByRole('button', { name: 'Accept' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Accept' }).click()
  await dialog.getByText('Write why it is accepted.').waitFor()
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Runs have no other user.')
  await dialog.getByRole('button', { name: 'Accept' }).click()
  await finding.getByText('Runs have no other user.').waitFor()
  await finding.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
  await finding.getByRole('button', { name: 'Accept' }).waitFor()
})

test('the browser reported no error and no refusal by the policy of the page', () => {
  expect(faults.filter((fault) => !fault.includes('ERR_FAILED'))).toEqual([])
})
