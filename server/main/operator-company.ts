import { type OperatorPolicy, setOperatorPolicy } from '../settings/operator-policy.ts'
import type { OperatorColumns } from '../settings/settings-store.ts'
import { actOnService, onLocalService, type ServiceRefusal } from './local-service.ts'

type Outcome = Promise<{ ok: true; value: OperatorPolicy | undefined } | ServiceRefusal>

/** What the operator settled for a company. Undefined: there is no such company. */
export const showCompany = (company: string): Outcome =>
  onLocalService(({ db, config }) => setOperatorPolicy({ db, deployment: config.deployment }, company, {}))

/** Settles what is named. */
export const setCompany = (company: string, set: OperatorColumns): Outcome =>
  actOnService({ act: 'company_set', subject: company, details: set }, ({ db, config }) =>
    setOperatorPolicy({ db, deployment: config.deployment }, company, set),
  )
