import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { type Config, ConfigInvalid, givenListener, readConfig } from '../base/config/config.ts'
import { listenAddress } from '../base/config/listen-address.ts'
import { callbackAddress } from '../base/config/service-settings.ts'
import { writeLogLevel } from '../base/log-level.ts'
import { externalLogProblem, keptLog } from '../operations/backup/archive/kept-log.ts'
import { runningPostgresUrl, runningServiceUrls } from '../postgres/running.ts'
import { gatewayKeyPath } from './cluster/gateway-key-path.ts'
import { enoughConnections } from './database-checks.ts'
import { requireKeys } from './supervisor/host/copied-keys.ts'
import {
  type DataFolder,
  openDataFolder,
  prepareDataFolder,
  shareKeys,
} from './supervisor/host/data-folder.ts'
import { lockInstance } from './supervisor/host/instance-lock.ts'
import { checkRestored } from './supervisor/host/restore-mark.ts'
import { type ServiceAccounts, serviceAccounts } from './supervisor/host/service-accounts.ts'
import { type DatabaseUrls, externalUrls, setUpDatabase } from './supervisor/processes/database-setup.ts'
import { checkCanListen } from './supervisor/processes/listen-check.ts'
import { runOnce } from './supervisor/processes/one-time-process.ts'
import { packedProgram } from './supervisor/processes/packed-program.ts'
import { PostgresPart } from './supervisor/processes/postgres-part.ts'
import { readableProgram } from './supervisor/processes/program-copy.ts'
import { RoleOutput } from './supervisor/processes/role-output.ts'
import { serviceConfinement } from './supervisor/processes/service-confinement.ts'
import {
  databaseSetup,
  makeRole,
  type Role,
  type RolePlan,
  storageCheck,
  withoutCores,
} from './supervisor/processes/service-roles.ts'
import { type ExitCode, exitCodes, ServiceProblem } from './supervisor/service-problem.ts'
import { type Part, Supervisor, untilSignal } from './supervisor/supervisor.ts'
import { say } from './supervisor/terminal.ts'

export type { Role }

/**
 * `sandbox up`: starts the whole service or one role of it, reports on the terminal, and resolves with the exit code
 * once it has stopped. docs/operations/start.md lists the codes.
 */
export async function up(only?: Role): Promise<ExitCode> {
  try {
    const config = readConfig()
    const problem = externalLogProblem(config)
    if (problem) throw new ServiceProblem(exitCodes.configuration, problem)
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
  const accounts = accountsOrCaller(config)
  checkRestored(config.dataDir)
  const { lock, workerLock } = openDataFolder(config.dataDir, accounts)
  const url = `http://${config.host}:${config.port}`
  return underLock(lock, url, () => underLock(workerLock, url, () => upOn(config, accounts)))
}

async function underLock<T>(path: string, url: string, work: () => Promise<T>): Promise<T> {
  const lock = await lockInstance(path, url)
  try {
    return await work()
  } finally {
    await lock.release()
  }
}

async function upOn(config: Config, accounts: ServiceAccounts | undefined): Promise<ExitCode> {
  await checkListeners(config)
  const ground = await prepare(config, accounts)
  useCopiedKeys(config, accounts)
  const external = externalUrls(config)
  const database = external ? externalDatabase(ground, external) : embeddedDatabase(ground)
  const plan = { ...ground, urls: () => external ?? embeddedUrls(database) }
  if (!isRoot()) sayNoAgent(config)
  // Parts stop in reverse order, so that a part that accepts work stops before the part that does it.
  const standsAlone = [database, ...(isRoot() ? [makeRole('agent', plan)] : [])]
  const [worker, api] = [makeWorker(plan), makeApi(plan)]
  // On a database that others may use, the API makes no key before the worker has the lease of this machine.
  const roles = external ? [worker, api] : [[...worker, ...api]]
  const supervisor = new Supervisor([bucket(ground), standsAlone, ...roles])
  return await untilSignal(supervisor, () => {
    const where =
      config.baseUrl === `http://${config.host}:${config.port}` ? '' : `, reached at ${config.baseUrl}`
    say(
      'sandbox',
      `ready on http://${config.host}:${config.port}${where}, data in ${ground.folder.root}`,
      systemClock.now(),
    )
  })
}

async function upRole(config: Config, name: Role): Promise<ExitCode> {
  if (name === 'agent' && !isRoot()) {
    throw new ServiceProblem(exitCodes.toolMissing, 'the host agent makes sandboxes, which only root can')
  }
  const accounts = accountsOrCaller(config)
  checkRestored(config.dataDir)
  const { workerLock } = openDataFolder(config.dataDir, accounts)
  const run = () => upRoleOn(config, name, accounts)
  return name === 'worker' ? underLock(workerLock, `process ${process.pid}`, run) : run()
}

/** Rejects if the API or the operator console cannot listen where they have to. */
async function checkListeners({
  host,
  port,
  callbackPort,
  metricsListen,
  operatorListen,
}: Config): Promise<void> {
  if (givenListener() === undefined) await checkCanListen({ host, port, settings: 'SANDBOX_PORT' })
  if (metricsListen !== undefined)
    await checkCanListen({ ...listenAddress(metricsListen), settings: 'SANDBOX_METRICS_LISTEN' })
  if (operatorListen !== undefined)
    await checkCanListen({ ...listenAddress(operatorListen), settings: 'SANDBOX_OPERATOR_LISTEN' })
  await checkCanListen({ host: callbackAddress, port: callbackPort, settings: 'SANDBOX_CALLBACK_PORT' })
}

async function upRoleOn(
  config: Config,
  name: Role,
  accounts: ServiceAccounts | undefined,
): Promise<ExitCode> {
  const ground = await prepare(config, accounts)
  if (name !== 'agent') useCopiedKeys(config, accounts)
  if (name === 'api') await checkListeners(config)
  const urls = name === 'agent' ? undefined : await urlsThere(config, ground.folder)
  const plan = { ...ground, urls: () => urls }
  const roles = {
    agent: () => [makeRole('agent', plan)],
    worker: () => makeWorker(plan),
    api: () => makeApi(plan),
  }[name]()
  const stages = urls ? [bucket(ground), [externalDatabase(ground, urls)], roles] : [roles]
  return untilSignal(new Supervisor(stages), () => say(name, 'ready', systemClock.now()))
}

/** The worker, and the process of scheduled backups if there are any. */
const makeWorker = (plan: RolePlan): Part[] => [
  makeRole('worker', plan),
  ...(plan.config.backupFolder === undefined ? [] : [makeRole('backups', plan)]),
]

/** The API, and the operator console if it is served. */
const makeApi = (plan: RolePlan): Part[] => [
  makeRole('api', plan),
  ...(plan.config.operatorListen === undefined ? [] : [makeRole('operator', plan)]),
]

const checkout = resolve(import.meta.dirname, '../..')
const isFull = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOSPC'
const isRoot = () => process.getuid?.() === 0

/** The accounts of all processes except the host agent; undefined: the caller's own, who is not root. */
export function accountsOrCaller(config: Config): ServiceAccounts | undefined {
  if (!isRoot()) return undefined
  if (!existsSync('/usr/bin/setpriv')) {
    throw new ServiceProblem(exitCodes.toolMissing, 'setpriv is missing: install the package util-linux')
  }
  return serviceAccounts(config)
}

type Ground = Omit<RolePlan, 'urls'>

/** Prepares what every part needs: folders, a program that each part can read, and its confinement. */
async function prepare(config: Config, accounts: ServiceAccounts | undefined): Promise<Ground> {
  const folder = prepareDataFolder(config.dataDir, accounts)
  writeLogLevel(config.dataDir, config.logLevel)
  const output = new RoleOutput(folder.logs)
  // Readers have the fewest rights: what they can read, the others can read too.
  const program = readableProgram(checkout, folder.programs, accounts?.reader)
  const packed = packedProgram(program, folder.packed)
  const listener = givenListener()
  const confinement = await serviceConfinement(folder.native, program.node)
  return { config, folder, program, packed, confinement, accounts, output, listener }
}

/** On a further machine of a deployment: the keys are those of the first. */
function useCopiedKeys(
  { makeKeys, dataDir, kubernetesServer }: Config,
  accounts: ServiceAccounts | undefined,
): void {
  if (makeKeys) return
  requireKeys(dataDir, kubernetesServer === undefined ? [] : [gatewayKeyPath(dataDir)])
  if (accounts) shareKeys(dataDir, accounts)
}

function embeddedDatabase(ground: Ground): PostgresPart {
  const { config, folder, confinement, output } = ground
  return new PostgresPart(
    {
      dataDir: folder.postgres,
      user: config.postgresUser,
      through: (argv) => withoutCores(confinement, argv),
      onLine: (line) => output.quiet('postgres', line),
      settings: { ...enoughConnections(config), ...(config.backupWalBytes !== undefined && keptLog) },
    },
    {
      note: (text) => output.note('postgres', text),
      onStart: ({ url, urls }, signal) =>
        setUpDatabase({ ...databaseSetup(ground), signal }, { owner: url, ...urls }),
    },
  )
}

const embeddedUrls = (database: Part): DatabaseUrls | undefined =>
  database instanceof PostgresPart ? database.urls : undefined

/** An external database: it is set up once and then not managed. */
const externalDatabase = (ground: Ground, urls: DatabaseUrls): Part =>
  atStart('database', (signal) => setUpDatabase({ ...databaseSetup(ground), signal }, urls))

/** A bucket of objects: it is tried once, and not when a process starts again while the store fails. */
const bucket = (ground: Ground): Part[] =>
  ground.config.s3Bucket === undefined
    ? []
    : [atStart('storage', (signal) => runOnce(storageCheck(ground), 'the bucket cannot be used', signal))]

/** Work that is done once when the service starts. */
function atStart(name: string, work: (signal: AbortSignal) => Promise<void>): Part {
  const stopping = new AbortController()
  return {
    name,
    start: () => work(stopping.signal),
    stop: async () => stopping.abort(),
    kill: () => stopping.abort(),
  }
}

/** Database addresses for this role: external, or the embedded database of the whole service. */
async function urlsThere(config: Config, folder: DataFolder): Promise<DatabaseUrls> {
  const external = externalUrls(config)
  if (external) return external
  const [owner, service] = await Promise.all([
    runningPostgresUrl(folder.postgres),
    runningServiceUrls(folder.postgres),
  ])
  if (owner && service) return { owner, ...service }
  throw new ServiceProblem(
    exitCodes.configuration,
    `no database: set DATABASE_URL, or start the whole service on ${folder.root} once`,
  )
}

const sayNoAgent = (config: Config) =>
  say(
    'sandbox',
    `builds and runs wait until a host agent answers on ${config.agentSocket}: start it as root with sandbox up --role agent`,
    systemClock.now(),
  )
