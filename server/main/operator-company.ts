import { userInfo } from 'node:os'
import { createLog } from '../base/logging.ts'
import { type OperatorPolicy, setOperatorPolicy } from '../settings/operator-policy.ts'
import type { OperatorColumns } from '../settings/settings-store.ts'
import { onLocalService, type ServiceRefusal } from './local-service.ts'

type Outcome = Promise<{ ok: true; value: OperatorPolicy | undefined } | ServiceRefusal>

/** What the operator settled for a company. Undefined: there is no such company. */
export const showCompany = (company: string): Outcome =>
  onLocalService(({ db, config }) => setOperatorPolicy({ db, deployment: config.deployment }, company, {}))

/** Settles what is named and says so, with the account that did it. */
export const setCompany = (company: string, set: OperatorColumns): Outcome =>
  onLocalService(async ({ db, config }) => {
    const policy = await setOperatorPolicy({ db, deployment: config.deployment }, company, set)
    if (policy) {
      const by = userInfo().username
      createLog('operator', 'info', 'stderr').info({ company: policy.company_id, set, by }, 'company settled')
    }
    return policy
  })
