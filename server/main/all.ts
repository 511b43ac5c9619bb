import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { type Config, ConfigInvalid, readConfig } from '../base/config.ts'
import { type Machine, MachineIdDamaged, openMachine } from '../base/machine-id.ts'
import { agentPaths } from '../executor/oci/paths.ts'
import { type Account, accountOf } from '../postgres/account.ts'
import { runningPostgresUrl } from '../postgres/running.ts'
import { controlGroupOf } from './supervisor/control-group.ts'
import { type DataFolder, prepareDataFolder } from './supervisor/data-folder.ts'
import { lockInstance } from './supervisor/instance-lock.ts'
import { checkCanListen } from './supervisor/listen-check.ts'
import { packedProgram } from './supervisor/packed-program.ts'
import { PostgresPart } from './supervisor/postgres-part.ts'
import { type Program, readableProgram } from './supervisor/program-copy.ts'
import { checkRestored } from './supervisor/restore-mark.ts'
import { roleEnvironment } from './supervisor/role-environment.ts'
import { RoleOutput } from './supervisor/role-output.ts'
import { RoleProcess } from './supervisor/role-process.ts'
import { type ExitCode, exitCodes, ServiceProblem } from './supervisor/service-problem.ts'
import { type Part, Supervisor } from './supervisor/supervisor.ts'
import { say } from './supervisor/terminal.ts'
import { untilSignal } from './supervisor/until-signal.ts'

export type Role = 'api' | 'worker' | 'agent'

const startTimeoutMs = 60_000
/**
 * MiB of a half of V8's space for young objects, which a process keeps once it has used it: what little the worker and
 * the agent make fits in the least there is, and the API gets a quarter of the default.
 */
const youngSpaceMiB: Record<Role, number> = { api: 4, worker: 1, agent: 1 }
const stopTimeoutMs: Record<Role, number> = { api: 30_000, worker: 30_000, agent: 10_000 }

/**
 * `sandbox up`: starts the whole service, or one role of it, and resolves with the exit code once it has
 * stopped. Says on the terminal what it does; docs/operations.md lists the codes.
 */
export async function up(only?: Role): Promise<ExitCode> {
  try {
    const config = readConfig()
    return only ? await upRole(config, only) : await upAll(config)
  } catch (error) {
    const exitCode =
      error instanceof ServiceProblem
        ? error.exitCode
        : error instanceof ConfigInvalid
          ? exitCodes.configuration
          : undefined
    if (exitCode === undefined && !isFull(error)) throw error
    process.stderr.write(
      isFull(error)
        ? 'sandbox up: no space is left for the data folder: free some, or choose another with SANDBOX_DATA\n'
        : `sandbox up: ${error instanceof Error ? error.message : error}\n`,
    )
    return exitCode ?? exitCodes.dataFolder
  }
}

async function upAll(config: Config): Promise<ExitCode> {
  const account = serviceAccount(config)
  checkRestored(config.dataDir)
  const folder = prepareDataFolder(config.dataDir, account)
  const url = `http://${config.host}:${config.port}`
  return underLock(folder.lock, url, () =>
    underLock(folder.workerLock, url, () => upOn(folder, config, account)),
  )
}

async function underLock<T>(path: string, url: string, work: () => Promise<T>): Promise<T> {
  const lock = await lockInstance(path, url)
  try {
    return await work()
  } finally {
    await lock.release()
  }
}

async function upOn(folder: DataFolder, config: Config, account: Account | undefined): Promise<ExitCode> {
  await checkCanListen(config.host, config.port)
  const output = new RoleOutput(folder.logs)
  const program = readableProgram(checkout, folder.programs, account)
  const packed = packedProgram(program, folder.packed)
  const postgres = config.databaseUrl ? undefined : embeddedPostgres(config, folder, output)
  const databaseUrl = () => config.databaseUrl ?? postgres?.url
  const plan = { config, folder, program, packed, account, output, databaseUrl }
  const role = (name: Role) => makeRole(name, plan)
  if (!isRoot()) sayNoAgent(config)
  // Stopped the other way round: who takes work ends before who does it.
  const standsAlone = [postgres, isRoot() ? role('agent') : undefined].filter((part) => part !== undefined)
  const supervisor = new Supervisor([standsAlone, [role('worker'), role('api')]])
  return await untilSignal(supervisor, () => {
    const where =
      config.baseUrl === `http://${config.host}:${config.port}` ? '' : `, reached at ${config.baseUrl}`
    say(
      'sandbox',
      `ready on http://${config.host}:${config.port}${where}, data in ${folder.root}`,
      systemClock.now(),
    )
  })
}

async function upRole(config: Config, name: Role): Promise<ExitCode> {
  if (name === 'agent' && !isRoot()) {
    throw new ServiceProblem(exitCodes.toolMissing, 'the host agent makes sandboxes, which only root can')
  }
  const account = serviceAccount(config)
  checkRestored(config.dataDir)
  const folder = prepareDataFolder(config.dataDir, account)
  if (name === 'api') await checkCanListen(config.host, config.port)
  const found =
    config.databaseUrl ?? (name === 'agent' ? undefined : await runningPostgresUrl(folder.postgres))
  if (!found && name !== 'agent') {
    throw new ServiceProblem(
      exitCodes.configuration,
      `no database: set DATABASE_URL, or start the whole service on ${folder.root} once`,
    )
  }
  const output = new RoleOutput(folder.logs)
  const program = readableProgram(checkout, folder.programs, account)
  const packed = packedProgram(program, folder.packed)
  const role = makeRole(name, { config, folder, program, packed, account, output, databaseUrl: () => found })
  const run = () => untilSignal(new Supervisor([[role]]), () => say(name, 'ready', systemClock.now()))
  return name === 'worker' ? underLock(folder.workerLock, `process ${process.pid}`, run) : run()
}

const checkout = resolve(import.meta.dirname, '../..')
const isFull = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOSPC'
const isRoot = () => process.getuid?.() === 0

/** Who everything but the host agent runs as; undefined: the caller, who is not root. */
export function serviceAccount(config: Config): Account | undefined {
  if (!isRoot()) return undefined
  if (!existsSync('/usr/bin/setpriv')) {
    throw new ServiceProblem(exitCodes.toolMissing, 'setpriv is missing: install the package util-linux')
  }
  const account = accountOf(config.serviceUser)
  if (account && account.uid !== 0) return account
  throw new ServiceProblem(
    exitCodes.toolMissing,
    `there is no system user ${config.serviceUser}, or it is root: run install/service-user.sh, or set SANDBOX_SERVICE_USER`,
  )
}

function embeddedPostgres(config: Config, folder: DataFolder, output: RoleOutput): PostgresPart {
  return new PostgresPart(
    { dataDir: folder.postgres, user: config.serviceUser, onLine: (line) => output.quiet('postgres', line) },
    (text) => output.note('postgres', text),
  )
}

interface RolePlan {
  config: Config
  folder: DataFolder
  program: Program
  /** Folder of what the roles load. */
  packed: string
  account: Account | undefined
  output: RoleOutput
  databaseUrl: () => string | undefined
}

function makeRole(name: Role, plan: RolePlan): Part {
  const { config, program, packed, account, output } = plan
  const isAgent = name === 'agent'
  return new RoleProcess(
    {
      name,
      argv: [
        program.node,
        `--max-semi-space-size=${youngSpaceMiB[name]}`,
        join(packed, `${name}.mjs`),
        ...argumentsOf[name](plan),
      ],
      cwd: program.root,
      env: () =>
        isAgent
          ? roleEnvironment(config, undefined, plan.folder.compiled.root)
          : roleEnvironment(config, plan.databaseUrl(), plan.folder.compiled.service),
      account: isAgent ? undefined : account,
      startTimeoutMs,
      stopTimeoutMs: stopTimeoutMs[name],
    },
    output,
  )
}

const argumentsOf: Record<Role, (plan: RolePlan) => string[]> = {
  api: () => [],
  agent: ({ config }) => ['--cgroup', controlGroupOf(config.dataDir)],
  worker: ({ config }) => {
    const { id, folder } = machineOf(config)
    return ['--machine', id, '--folder', folder]
  },
}

function machineOf(config: Config): Machine {
  try {
    return openMachine(agentPaths(config.dataDir).root)
  } catch (error) {
    if (!(error instanceof MachineIdDamaged)) throw error
    throw new ServiceProblem(exitCodes.dataFolder, error.message)
  }
}

const sayNoAgent = (config: Config) =>
  say(
    'sandbox',
    `builds and runs wait until a host agent answers on ${config.agentSocket}: start it as root with sandbox up --role agent`,
    systemClock.now(),
  )
