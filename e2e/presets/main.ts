import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual, parseArgs, promisify } from 'node:util'
import { checkout, type OwnService, sandboxProgram, startService } from '../main-job/service.ts'
import { Author } from './author.ts'
import { basicDockerfile, packageExamples, runScripts, templateOf } from './expected.ts'
import { declareMirrors, startPackages } from './mirrors.ts'

/*
 * Every preset of base images, as operator and author use it: the image is made from Debian packages, an environment of the
 * language is built on it, and a job runs in it; what Debian images of the hub have is there; for Python, Node.js and
 * Java also the example that installs packages. Needs root, and the package servers that this machine uses.
 */
const { values } = parseArgs({ options: { preset: { type: 'string', multiple: true } } })
const run = promisify(execFile)
const { stdout } = await run(sandboxProgram, ['operator', 'base-image', 'presets', '--json'])
const { items: presets } = JSON.parse(stdout) as { items: Preset[] }
const chosen = presets.filter(({ preset }) => values.preset?.includes(preset) ?? true)
if (values.preset && chosen.length !== new Set(values.preset).size) {
  const names = presets.map(({ preset }) => preset).join(', ')
  console.error(`usage: npm run presets -- [--preset NAME]...\npresets: ${names}`)
  process.exit(2)
}

interface Preset {
  preset: string
  /** Of the image. */
  name: string
}

const failed: string[] = []
let cases = 0

/** Runs one case, and prints its time or why it failed. Returns whether it passed. */
async function check(name: string, work: () => Promise<unknown>): Promise<boolean> {
  cases += 1
  const startedMs = performance.now()
  try {
    const found = await work()
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
    console.log(`${name.padEnd(40)} ${seconds.padStart(6)} s${typeof found === 'string' ? `  ${found}` : ''}`)
    return true
  } catch (error) {
    console.log(`${name.padEnd(40)} FAILED\n${error instanceof Error ? error.message : String(error)}`)
    failed.push(name)
    return false
  }
}

/** Makes the image as an operator does; returns what `sandbox bases` says of it. */
async function make({ env }: OwnService, author: Author, { preset, name }: Preset): Promise<string> {
  await run(sandboxProgram, ['operator', 'base-image', 'add', '--preset', preset], { env, cwd: checkout })
  // The worker publishes the list every ten seconds.
  for (let attempt = 0; attempt < 40; attempt += 1) {
    const line = (await author.command(['bases'])).split('\n').find((text) => text.startsWith(`${name} `))
    if (line?.includes(' MiB ')) return line.replaceAll(/ {2,}/g, '  ')
    await sleep(500)
  }
  throw new Error(`sandbox bases does not list ${name}`)
}

async function expectOutput(author: Author, project: string, wanted: unknown): Promise<void> {
  const output = await author.deployAndRun(project)
  if (!isDeepStrictEqual(output, wanted)) throw new Error(`the output is ${JSON.stringify(output)}`)
}

async function checkPreset(service: OwnService, author: Author, wanted: Preset): Promise<void> {
  const { preset, name: base } = wanted
  const [language = ''] = preset.split(':')
  const project = preset.replaceAll(/[^a-z0-9]/g, '-')
  if (!(await check(`${preset} is made`, () => make(service, author, wanted)))) return
  await check(`${preset} builds and runs a job`, async () => {
    await author.fromTemplate(templateOf(language), project, base)
    await expectOutput(author, project, { words: 3 })
  })
  await check(`${preset} has users, time zones and a locale`, () =>
    author.build(`${project}-basics`, basicDockerfile(language, base)),
  )
  const own = runScripts[language]
  if (own)
    await check(`${preset} runs within its memory, in UTF-8`, async () => {
      const output = await author.quickRun(project, own.script)
      if (!isDeepStrictEqual(output, own.output)) throw new Error(`the output is ${JSON.stringify(output)}`)
    })
  const installing = packageExamples[language]
  if (!installing) return
  await check(`${preset} installs packages`, async () => {
    await author.fromExample(installing.example, `${project}-packages`, base)
    await expectOutput(author, `${project}-packages`, installing.output)
  })
}

const packages = await startPackages()
try {
  const service = await startService()
  try {
    await declareMirrors(service, packages)
    // Every preset has up to three.
    await service.sandbox('operator', 'company', 'set', 'acme', '--environments', String(3 * chosen.length))
    const author = await Author.logIn(service)
    for (const preset of chosen) await checkPreset(service, author, preset)
    await author.dispose()
  } finally {
    await service.stop()
  }
} finally {
  await packages.dispose()
}
console.log(JSON.stringify({ suite: 'presets', cases, failed: failed.length, failed_names: failed }))
process.exitCode = failed.length === 0 ? 0 : 1
