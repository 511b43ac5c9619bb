import { userInfo } from 'node:os'
import { operatorSignInPage } from '@sandbox-jobs/contract/operator/operator-routes.ts'
import type { OperatorAccess } from '@sandbox-jobs/contract/operator/operator-sign-in.ts'
import { sudoUser } from '../../base/config/config.ts'
import {
  codeSeconds,
  endOperatorSignIns,
  makeCode,
} from '../../operations/operator-sign-ins/operator-sign-ins.ts'
import { actOnService, type Outcome, onLocalService, refuse } from './local-service.ts'

/** The caller: the person who became root by sudo, else the account itself. */
const account = (): string => sudoUser() ?? userInfo().username

export interface ConsoleAddress {
  /** With a code that signs in once. */
  address: string
  valid_seconds: number
  /** Address and port that the console listens on. */
  listen: string
}

/** An address that signs the caller in to the operator console. */
export async function openConsole(access: OperatorAccess): Outcome<ConsoleAddress> {
  const found = await onLocalService(async ({ config }) => config.operatorListen)
  if (!found.ok) return found
  const { value: listen } = found
  if (listen === undefined) {
    return refuse('settings', 'the operator console is off: set SANDBOX_OPERATOR_LISTEN=127.0.0.1:8079')
  }
  const asker = { account: account(), access }
  return actOnService(
    { act: 'console_code', subject: asker.account, details: { access } },
    async (service) => ({
      address: `http://${listen}${operatorSignInPage}#${await makeCode(service, asker)}`,
      valid_seconds: codeSeconds,
      listen,
    }),
  )
}

/** Ends all sign-ins to the operator console; resolves with their number. */
export const endConsole = (): Outcome<number> =>
  actOnService({ act: 'console_end', subject: 'all operators' }, endOperatorSignIns)
