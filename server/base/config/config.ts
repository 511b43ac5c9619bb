import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { parse } from 'yaml'
import { type AccountConfig, accountSettings } from './account-settings.ts'
import { type AuditConfig, auditSettings } from './audit-settings.ts'
import { type BackupConfig, backupSettings } from './backup-settings.ts'
import { type BuildConfig, buildSettings, type RegistryConfig, registrySettings } from './build-settings.ts'
import { type CapacityConfig, capacitySettings } from './capacity-settings.ts'
import { conflictsIn } from './conflicts.ts'
import { type DatabaseConfig, databaseSettings } from './database-settings.ts'
import { type FindingConfig, findingSettings } from './finding-settings.ts'
import { type KubernetesConfig, kubernetesSettings } from './kubernetes-settings.ts'
import { type LoginConfig, loginSettings } from './login-settings.ts'
import { type MetricsConfig, metricsSettings } from './metrics-settings.ts'
import {
  type MailConfig,
  mailSettings,
  type NotificationConfig,
  notificationSettings,
} from './notification-settings.ts'
import { type OperatorConfig, operatorSettings } from './operator-settings.ts'
import { type SandboxConfig, sandboxSettings } from './sandbox-settings.ts'
import { type SecretKeyConfig, secretKeySettings } from './secret-key-settings.ts'
import { type ServiceConfig, serviceSettings } from './service-settings.ts'
import type { Raw, Settings } from './setting.ts'
import { type StorageConfig, storageSettings } from './storage-settings.ts'
import { type TracingConfig, tracingSettings } from './tracing-settings.ts'

/**
 * Every setting of the service, in one table: an environment variable, or the same name in the YAML file that
 * `SANDBOX_CONFIG` names; the environment wins. All problems are reported at once.
 */
export type Config = ServiceConfig &
  MetricsConfig &
  OperatorConfig &
  TracingConfig &
  DatabaseConfig &
  StorageConfig &
  AccountConfig &
  SandboxConfig &
  CapacityConfig &
  KubernetesConfig &
  RegistryConfig &
  BuildConfig &
  SecretKeyConfig &
  LoginConfig &
  NotificationConfig &
  MailConfig &
  AuditConfig &
  BackupConfig &
  FindingConfig

/** A default may depend on the settings before it. */
export const settings: Settings<Config> = {
  ...serviceSettings,
  ...metricsSettings,
  ...operatorSettings,
  ...tracingSettings,
  ...databaseSettings,
  ...storageSettings,
  ...accountSettings,
  ...sandboxSettings,
  ...capacitySettings,
  ...kubernetesSettings,
  ...registrySettings,
  ...buildSettings,
  ...secretKeySettings,
  ...loginSettings,
  ...mailSettings,
  ...notificationSettings,
  ...auditSettings,
  ...backupSettings,
  ...findingSettings,
}

/** Unusable configuration: every problem, one per line. */
export class ConfigInvalid extends Error {
  readonly problems: string[]
  constructor(problems: string[]) {
    super(`configuration:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.name = 'ConfigInvalid'
    this.problems = problems
  }
}

/** Reads the configuration; throws `ConfigInvalid` with every problem. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const problems: string[] = []
  const file = readConfigFile(environment.SANDBOX_CONFIG, problems)
  const names = Object.keys(settings) as (keyof Config)[]
  const known = new Set(names.map((name) => settings[name].env))
  for (const key of Object.keys(file)) {
    if (!known.has(key)) problems.push(`${environment.SANDBOX_CONFIG}: no setting is named ${key}`)
  }
  for (const key of Object.keys(environment)) {
    if (
      key.startsWith('SANDBOX_') &&
      key !== 'SANDBOX_CONFIG' &&
      !known.has(key) &&
      !clientVariables.has(key)
    ) {
      problems.push(`no setting is named ${key}`)
    }
  }
  const read: Record<string, unknown> = {}
  for (const name of names) {
    const setting = settings[name]
    const raw = environment[setting.env] ?? file[setting.env]
    if (raw === undefined || raw === '') {
      read[name] = setting.fallback(read)
      continue
    }
    read[name] = setting.parse(raw)
    if (read[name] === undefined) problems.push(`${setting.env} must be ${setting.expected}`)
  }
  const config = read as unknown as Config
  if (problems.length === 0) problems.push(...conflictsIn(config))
  if (problems.length > 0) throw new ConfigInvalid(problems)
  return config
}

/**
 * Reads the configuration of a service whose environment is a file of `NAME=value` lines, such as a unit's `EnvironmentFile`. The
 * variables of AWS in it become those of this process, where the AWS client looks for them.
 */
export function readConfigOfFile(path: string): Config {
  try {
    const environment = parseEnv(readFileSync(path, 'utf8'))
    Object.assign(process.env, awsVariables(environment))
    return readConfig(environment)
  } catch (error) {
    if (error instanceof ConfigInvalid) throw error
    throw new ConfigInvalid([`${path} cannot be read: ${error instanceof Error ? error.message : error}`])
  }
}

/** The settings that the environment has, by name; not those of a file. */
export function givenSettings(environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const names = ['SANDBOX_CONFIG', ...Object.values(settings).map(({ env }) => env)]
  return Object.fromEntries(names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])))
}

/** The variables in which the AWS client looks for credentials. */
export const awsVariables = (environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => name.startsWith('AWS_')))

/** The account of the person who became root by sudo. */
export const sudoUser = ({ SUDO_USER: user = '' }: NodeJS.ProcessEnv = process.env): string | undefined =>
  /^[\w.@\\-]{1,64}$/.test(user) ? user : undefined

/** Whether systemd waits for the notification that this process is ready, as for a unit of `Type=notify`. */
export const hasServiceManager = (environment: NodeJS.ProcessEnv = process.env): boolean =>
  Boolean(environment.NOTIFY_SOCKET)

/**
 * The descriptor of the listening socket that this process was started with, in the form of systemd.socket(5): it stays open while
 * the service restarts. Undefined without one.
 */
export function givenListener(environment: NodeJS.ProcessEnv = process.env): number | undefined {
  const { LISTEN_PID, LISTEN_FDS } = environment
  if (LISTEN_PID !== String(process.pid) || LISTEN_FDS === undefined) return undefined
  if (LISTEN_FDS !== '1') throw new ConfigInvalid(['one socket can be given to listen on, not more'])
  return 3
}

/** Variables of the command line tool, which have the same prefix. */
const clientVariables = new Set([
  'SANDBOX_URL',
  'SANDBOX_TOKEN',
  'SANDBOX_API_KEY',
  'SANDBOX_CLI_CONFIG',
  'SANDBOX_PASSWORD',
])

function readConfigFile(path: string | undefined, problems: string[]): Record<string, Raw> {
  if (!path) return {}
  try {
    const content: unknown = parse(readFileSync(path, 'utf8'))
    if (content === null) return {}
    if (typeof content === 'object' && !Array.isArray(content)) return content as Record<string, Raw>
    problems.push(`${path} must hold settings as NAME: value`)
  } catch (error) {
    problems.push(`${path} cannot be read: ${error instanceof Error ? error.message.split('\n')[0] : error}`)
  }
  return {}
}
