import { join } from 'node:path'
import type { Config } from '../../base/config.ts'
import { type Machine, MachineIdDamaged, openMachine } from '../../base/machine-id.ts'
import { readerProgram } from '../../builds/reader/reader-command.ts'
import type { Confinement } from '../../confine/native.ts'
import { agentPaths } from '../../executor/oci/paths.ts'
import { asAccount } from '../../postgres/account.ts'
import { controlGroupOf } from './control-group.ts'
import type { DataFolder } from './data-folder.ts'
import type { DatabaseSetup, DatabaseUrls } from './database-setup.ts'
import type { Program } from './program-copy.ts'
import { roleEnvironment } from './role-environment.ts'
import type { RoleOutput } from './role-output.ts'
import { RoleProcess } from './role-process.ts'
import type { ServiceAccounts } from './service-accounts.ts'
import { withoutCores } from './service-command.ts'
import { exitCodes, ServiceProblem } from './service-problem.ts'

export type Role = 'api' | 'worker' | 'agent'

const startTimeoutMs = 60_000
/**
 * MiB of a half of V8's space for young objects, which a process keeps once it has used it: what little the worker and
 * the agent make fits in the least there is, and the API gets a quarter of the default.
 */
const youngSpaceMiB: Record<Role, number> = { api: 4, worker: 1, agent: 1 }
const stopTimeoutMs: Record<Role, number> = { api: 30_000, worker: 30_000, agent: 10_000 }

export interface RolePlan {
  config: Config
  folder: DataFolder
  program: Program
  /** Folder of what the roles load. */
  packed: string
  confinement: Confinement
  /** Undefined: everything runs as the caller, who is not root. */
  accounts: ServiceAccounts | undefined
  output: RoleOutput
  urls: () => DatabaseUrls | undefined
}

export function makeRole(name: Role, plan: RolePlan): RoleProcess {
  const { config, folder, program, packed, output } = plan
  const databaseUrl = () => (name === 'agent' ? undefined : plan.urls()?.[name])
  return new RoleProcess(
    {
      name,
      argv: commandOf(name, plan, [
        program.node,
        // No signal of a process of the same user opens a debugger.
        '--disable-sigusr1',
        `--max-semi-space-size=${youngSpaceMiB[name]}`,
        join(packed, `${name}.mjs`),
        ...argumentsOf[name](plan),
      ]),
      cwd: program.root,
      env: () => roleEnvironment(config, databaseUrl(), folder.compiled[name]),
      startTimeoutMs,
      stopTimeoutMs: stopTimeoutMs[name],
    },
    output,
  )
}

const argumentsOf: Record<Role, (plan: RolePlan) => string[]> = {
  api: ({ confinement }) => ['--readers', confinement.readerStart],
  agent: ({ config }) => ['--cgroup', controlGroupOf(config.dataDir)],
  worker: ({ config, confinement }) => {
    const { id, folder } = machineOf(config)
    return ['--machine', id, '--folder', folder, '--readers', confinement.readerStart]
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

/** Who it runs as, what is closed to others of it and, where it has archives read, who starts its readers. */
function commandOf(name: Role, plan: RolePlan, argv: string[]): string[] {
  const { confinement, accounts } = plan
  const closed = withoutCores(confinement, argv)
  if (name === 'agent') return ['setpriv', '--pdeathsig=TERM', '--', ...closed]
  return [...readerHost(plan), ...asAccount(accounts?.[name], closed, 'TERM')]
}

/** As `confine/reader-start.c` has it. */
function readerHost({ confinement, accounts, program, packed }: RolePlan): string[] {
  const entry = join(packed, 'reader-main.mjs')
  const reader = readerProgram({ program: [entry], folder: packed, node: program.node })
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

/** As the server's own account, which has all of the database anyway. */
export function databaseSetup(plan: Omit<RolePlan, 'urls'>): Omit<DatabaseSetup, 'signal'> {
  const { config, folder, program, packed, accounts, output } = plan
  return {
    argv: [program.node, '--disable-sigusr1', join(packed, 'prepare-database.mjs')],
    account: accounts?.postgres,
    // It compiles nothing that a later start would find: the folders of others are not its to write.
    env: (ownerUrl) => ({
      ...roleEnvironment(config, ownerUrl, folder.compiled.agent),
      NODE_COMPILE_CACHE: undefined,
    }),
    onLine: (line) => output.line('database', line),
  }
}
