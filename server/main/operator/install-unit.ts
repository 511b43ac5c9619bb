import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { givenSettings, readConfig } from '../../base/config/config.ts'
import { replaceFile } from '../../base/keys/key-files.ts'
import { replaceableAt } from '../../base/replaceable.ts'
import { lockHolder } from '../supervisor/host/instance-lock.ts'
import { asRoot, type Outcome, RequestRefused } from './as-root.ts'

const run = promisify(execFile)
const checkout = resolve(import.meta.dirname, '../../..')
const writeUnits = join(checkout, 'install/write-units.sh')
const unitFolder = '/etc/systemd/system'
const wholes = ['sandbox-jobs.target', 'sandbox-jobs.socket', 'sandbox-jobs.service']
const units = [...wholes, 'sandbox-jobs@.service']
const service = join(unitFolder, 'sandbox-jobs.service')
const settingsFile = '/etc/sandbox-jobs/environment'

/** Writes the systemd units of this clone and enables them. Returns what it did, in sentences. */
export const installUnit = (): Outcome<string[]> =>
  asRoot(async () => {
    checkSystemd()
    checkProgram()
    const { dataDir } = readConfig()
    const done = keepSettings()
    await tool(writeUnits, checkout, checkout, unitFolder)
    await tool('systemctl', 'daemon-reload')
    await tool('systemctl', '--quiet', 'enable', 'sandbox-jobs.target', 'sandbox-jobs.service')
    done.push(`The units in ${unitFolder} start ${checkout}/sandbox.`)
    const holder = await lockHolder(join(dataDir, 'service.lock'))
    const stop = 'The service runs already: unless a unit started it, stop it with sandbox down.'
    return [...done, ...(holder ? [stop] : []), 'Start it with systemctl start sandbox-jobs.target.']
  })

/** Stops the service and removes the units of this clone. Returns what it did, in sentences. */
export const removeUnit = (): Outcome<string[]> =>
  asRoot(async () => {
    checkSystemd()
    if (!existsSync(service)) return ['There are no units.']
    checkOwnUnits()
    const named = [...wholes, ...['agent', 'worker', 'api'].map(byRole)]
    await tool('systemctl', '--quiet', 'disable', '--now', ...named)
    for (const unit of units) rmSync(join(unitFolder, unit), { force: true })
    await tool('systemctl', 'daemon-reload')
    return [
      `The service is stopped, and its units are removed. ${settingsFile} and the data folder stay.`,
      'Runs and builds go on until their ends: sandbox down --end-work ends them.',
    ]
  })

const byRole = (role: string): string => `sandbox-jobs@${role}.service`

function checkSystemd(): void {
  if (!existsSync('/run/systemd/system'))
    throw new RequestRefused('Systemd does not run on this machine: start the service with sandbox up.')
}

/** Units start the program as root, so only root may be able to change it. */
function checkProgram(): void {
  if (!existsSync(writeUnits) || existsSync('/usr/lib/systemd/system/sandbox-jobs.service'))
    throw new RequestRefused('The package sandbox-jobs is installed, which has units of its own.')
  if (existsSync(service)) checkOwnUnits()
  const path = replaceableAt(join(checkout, 'sandbox'), [0])
  if (path !== undefined)
    throw new RequestRefused(
      `${path} can be changed by other users than root, and a unit would start it as root: clone the program as root, for example into /opt.`,
    )
}

function checkOwnUnits(): void {
  if (readFileSync(service, 'utf8').includes(`\nExecStart=${checkout}/sandbox up\n`)) return
  throw new RequestRefused(
    `${service} is of another program: remove it there first, with sandbox operator install-unit --remove.`,
  )
}

/** Writes the settings that this command was given into the file of the units, unless there is one. */
function keepSettings(): string[] {
  const given = givenSettings()
  const lines = Object.entries(given).map(([name, value]) => `${name}=${quoted(name, value)}\n`)
  if (existsSync(settingsFile)) {
    const there = readFileSync(settingsFile, 'utf8')
    const missing = lines.filter((line) => !there.split('\n').includes(line.trimEnd()))
    const names = missing.map((line) => line.split('=')[0]).join(', ')
    return [
      `${settingsFile} has the settings of the service and was not changed.`,
      ...(names === '' ? [] : [`It lacks settings of this shell, or has other values: ${names}.`]),
    ]
  }
  mkdirSync(dirname(settingsFile), { recursive: true, mode: 0o755 })
  const sample = readFileSync(join(checkout, 'install/systemd/environment'), 'utf8')
  replaceFile(settingsFile, sample + lines.join(''))
  return [`${settingsFile} takes the settings of the service, and has ${lines.length} of this shell.`]
}

function quoted(name: string, value: string): string {
  if (/^[\w./:,@%+*=?&-]+$/.test(value)) return value
  if (/['\n\\]/.test(value))
    throw new RequestRefused(
      `${name} has a quote, a backslash or a line break, which ${settingsFile} cannot keep.`,
    )
  return `'${value}'`
}

/** Runs a program whose refusal is one of the request. */
async function tool(program: string, ...argv: string[]): Promise<void> {
  try {
    await run(program, argv)
  } catch (error) {
    const { message, stderr } = error as Error & { stderr?: string }
    throw new RequestRefused(stderr?.trim() || message)
  }
}
