import type { Config } from '../../../base/config/config.ts'
import { type Account, accountOf } from '../../../postgres/account.ts'
import { exitCodes, ServiceProblem } from '../service-problem.ts'

/** The accounts of the service's processes: one each, so that no process reads the files or memory of another. */
export interface ServiceAccounts {
  api: Account
  worker: Account
  postgres: Account
  /** Archive readers. */
  reader: Account
  /** Undefined unless the operator console is served. */
  operator: Account | undefined
  /** The group that API and worker share for objects. No process runs as this account. */
  shared: Account
}

/** The accounts that the settings name. Rejects if one is missing, is root, or is used twice. */
export function serviceAccounts(config: Config): ServiceAccounts {
  const named: Record<string, string> = {
    api: config.apiUser,
    worker: config.workerUser,
    postgres: config.postgresUser,
    reader: config.readerUser,
    shared: config.serviceUser,
    ...(config.operatorListen === undefined ? {} : { operator: config.operatorUser }),
  }
  const found = Object.entries(named).map(([role, user]) => ({ role, user, account: accountOf(user) }))
  const missing = found.filter(({ account }) => account === undefined || account.uid === 0)
  if (missing.length > 0) {
    const users = missing.map(({ user }) => user).join(', ')
    throw new ServiceProblem(
      exitCodes.toolMissing,
      `these system users are missing, or are root: ${users}: run install/service-user.sh, or name others (SANDBOX_SERVICE_USER and the settings after it)`,
    )
  }
  const uids = new Set(found.map(({ account }) => account?.uid))
  if (uids.size < found.length) {
    throw new ServiceProblem(
      exitCodes.configuration,
      'API, worker, Postgres, readers, the operator console and the shared group need a system user each: of SANDBOX_SERVICE_USER, SANDBOX_API_USER, SANDBOX_WORKER_USER, SANDBOX_POSTGRES_USER, SANDBOX_READER_USER and SANDBOX_OPERATOR_USER two are the same',
    )
  }
  const accounts = Object.fromEntries(
    found.map(({ role, account }) => [role, account]),
  ) as unknown as ServiceAccounts
  const groups = [accounts.shared.gid]
  return { ...accounts, api: { ...accounts.api, groups }, worker: { ...accounts.worker, groups } }
}
