import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { agentPaths } from '../../../../agent/host/paths.ts'
import type { Confinement } from '../../../../reader/confine/confinement.ts'
import { readerProgram } from '../../../../reader/process/reader-command.ts'
import { awsVariables, type Config, settings } from '../../../base/config/config.ts'
import { type Machine, MachineIdDamaged, openMachine } from '../../../base/machine-id.ts'
import { asAccount } from '../../../postgres/account.ts'
import { acceptorsPerPort } from '../../api/acceptors.ts'
import type { DataFolder } from '../host/data-folder.ts'
import type { ServiceAccounts } from '../host/service-accounts.ts'
import { exitCodes, ServiceProblem } from '../service-problem.ts'
import type { DatabaseSetup, DatabaseUrls } from './database-setup.ts'
import type { OneTimeProcess } from './one-time-process.ts'
import type { Program } from './program-copy.ts'
import type { RoleOutput } from './role-output.ts'
import { RoleProcess } from './role-process.ts'

export type Role = 'api' | 'worker' | 'agent'
/** Backups are made beside the worker. Their process is root, and logs in to the database as the owner of the schema. */
type RoleName = Role | 'backups' | 'operator'

const startTimeoutMs = 60_000
/**
 * MiB of a semi-space for young objects in V8, which a process keeps once used. Worker and agent allocate little, so
 * they get the minimum; the API gets a quarter of the default.
 */
const youngSpaceMiB: Record<RoleName, number> = { api: 4, worker: 1, agent: 1, backups: 1, operator: 1 }
const stopTimeoutMs: Record<RoleName, number> = {
  api: 30_000,
  worker: 30_000,
  agent: 10_000,
  backups: 30_000,
  operator: 10_000,
}

export interface RolePlan {
  config: Config
  folder: DataFolder
  program: Program
  /** Folder of the packed roles. */
  packed: string
  confinement: Confinement
  /** Undefined: everything runs as the caller, who is not root. */
  accounts: ServiceAccounts | undefined
  output: RoleOutput
  /** A listening socket for the API; undefined: it makes its own. */
  listener: number | undefined
  urls: () => DatabaseUrls | undefined
}

export function makeRole(name: RoleName, plan: RolePlan): RoleProcess {
  const { config, folder, program, packed, output } = plan
  const databaseUrl = () =>
    name === 'agent' ? undefined : plan.urls()?.[name === 'backups' ? 'owner' : name]
  return new RoleProcess(
    {
      name,
      argv: commandOf(name, plan, [
        program.node,
        // No signal from another process of the same user can open a debugger.
        '--disable-sigusr1',
        `--max-semi-space-size=${youngSpaceMiB[name]}`,
        join(packed, `${name}.mjs`),
        ...argumentsOf[name](plan),
      ]),
      cwd: program.root,
      passed: name === 'api' ? duplicatesOf(plan.listener) : [],
      env: () => ({
        ...roleEnvironment(
          isTraced(name) ? config : withoutCollector(config),
          databaseUrl(),
          folder.compiled[name],
        ),
        ...(hasObjects(name) && storeVariables(config)),
      }),
      startTimeoutMs,
      stopTimeoutMs: stopTimeoutMs[name],
      inBackground: name === 'backups',
    },
    output,
  )
}

const duplicatesOf = (listener: number | undefined): number[] =>
  listener === undefined ? [] : Array<number>(acceptorsPerPort).fill(listener)

const isRootRole = (name: RoleName): name is 'agent' | 'backups' => name === 'agent' || name === 'backups'

const isTraced = (name: RoleName): boolean => name === 'api' || name === 'worker'

const hasObjects = (name: RoleName): boolean => name === 'api' || name === 'worker'

/** The variables of the operator's environment that the AWS client needs. */
const storeVariables = ({ s3Bucket, s3CredentialsFile }: Config): NodeJS.ProcessEnv =>
  s3Bucket === undefined || s3CredentialsFile !== undefined ? {} : awsVariables()

const argumentsOf: Record<RoleName, (plan: RolePlan) => string[]> = {
  api: ({ confinement, packed, listener }) => [
    ...['--readers', confinement.readerStart, '--packed', packed],
    ...['--listeners', `${duplicatesOf(listener).length}`],
  ],
  agent: ({ config }) => ['--cgroup', controlGroupOf(config.dataDir)],
  backups: ({ config, confinement: { notDumpable } }) => [
    ...['--machine', machineOf(config).id, '--not-dumpable', notDumpable],
  ],
  operator: ({ packed }) => ['--packed', packed],
  worker: ({ config, confinement }) => {
    const { id, folder } = machineOf(config)
    const { notDumpable, readerStart } = confinement
    return ['--machine', id, '--folder', folder, '--readers', readerStart, '--not-dumpable', notDumpable]
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

/**
 * The command of a role: its account, its confinement and, if it has archives read, the process that starts its
 * readers.
 */
function commandOf(name: RoleName, plan: RolePlan, argv: string[]): string[] {
  const { confinement, accounts } = plan
  const closed = withoutCores(confinement, argv)
  if (isRootRole(name)) return ['setpriv', '--pdeathsig=TERM', '--', ...closed]
  const asRole = asAccount(accounts?.[name], closed, 'TERM')
  return name === 'operator' ? asRole : [...readerHost(plan), ...asRole]
}

/** The arguments of `confine/reader-start.c`. */
function readerHost({ confinement, accounts, program, packed }: RolePlan): string[] {
  const entry = join(packed, 'reader-main.mjs')
  const reader = readerProgram({ program: [entry], folders: [packed], node: program.node })
  const [uid, gid] = [accounts?.reader.uid ?? 0, accounts?.reader.gid ?? 0]
  return [
    confinement.readerStart,
    'host',
    `${uid}`,
    `${gid}`,
    confinement.seal,
    `${reader.length}`,
    ...reader,
  ]
}

/** Runs as the worker's account, which may read what the credentials of the store are in. */
export function storageCheck(plan: Omit<RolePlan, 'urls'>): OneTimeProcess {
  const { config, folder, program, packed, accounts, output } = plan
  return {
    argv: [program.node, '--disable-sigusr1', join(packed, 'check-storage.mjs')],
    account: accounts?.worker,
    env: {
      ...roleEnvironment(withoutCollector(config), undefined, folder.compiled.worker),
      ...storeVariables(config),
    },
    onLine: (line) => output.line('storage', line),
  }
}

/** Runs as the database server's account, which controls the whole database anyway. */
export function databaseSetup(plan: Omit<RolePlan, 'urls'>): Omit<DatabaseSetup, 'signal'> {
  const { config, folder, program, packed, accounts, output } = plan
  return {
    argv: [program.node, '--disable-sigusr1', join(packed, 'prepare-database.mjs')],
    account: accounts?.postgres,
    // No compile cache: the folders belong to other accounts.
    env: (ownerUrl) => ({
      ...roleEnvironment(withoutCollector(config), ownerUrl, folder.compiled.agent),
      NODE_COMPILE_CACHE: undefined,
    }),
    onLine: (line) => output.line('database', line),
  }
}

/** Every data folder has its own control group, so two services on a machine never take each other's sandboxes. */
export const controlGroupOf = (dataDir: string): string =>
  `sandbox-jobs-${createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 12)}`

/** Only API and worker send traces. The headers of the collector may have a token. */
const withoutCollector = (config: Config): Config => ({
  ...config,
  otlpEndpoint: undefined,
  otlpHeaders: undefined,
})

/**
 * The environment of a role: the settings as the supervisor read them, from whatever source, and nothing else of the
 * operator's shell. The host agent gets no database address.
 */
export function roleEnvironment(
  config: Config,
  databaseUrl: string | undefined,
  compiledFolder: string,
): NodeJS.ProcessEnv {
  const others = { apiDatabaseUrl: undefined, workerDatabaseUrl: undefined, operatorDatabaseUrl: undefined }
  const values: Config = { ...config, databaseUrl, ...others }
  const environment: NodeJS.ProcessEnv = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    TZ: 'UTC',
    // Halves the start time and saves a quarter of the memory: TypeScript is stripped once, not at every start.
    NODE_COMPILE_CACHE: compiledFolder,
  }
  for (const name of Object.keys(settings) as (keyof Config)[]) {
    const value = values[name]
    if (value !== undefined) environment[settings[name].env] = String(value)
  }
  return environment
}

/**
 * Argument list that runs `argv` so that its memory cannot leak: it dumps no core, not even to a core handler, which
 * the kernel skips at a limit of 1 but not at 0; and its /proc entries belong to root.
 */
export const withoutCores = ({ notDumpable }: Pick<Confinement, 'notDumpable'>, argv: string[]): string[] => [
  ...['prlimit', '--core=1:1', '--'],
  // Only for this program: the programs before it would drop the setting.
  ...['env', `LD_PRELOAD=${notDumpable}`],
  ...argv,
]
