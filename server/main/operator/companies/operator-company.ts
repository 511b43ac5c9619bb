import { type OperatorPolicy, setOperatorPolicy } from '../../../companies/settings/operator-policy.ts'
import type { OperatorColumns } from '../../../companies/settings/settings-store.ts'
import { actOnService, onLocalService, type ServiceRefusal } from '../local-service.ts'

type Outcome = Promise<{ ok: true; value: OperatorPolicy | undefined } | ServiceRefusal>

/** The limits that the operator set for a company; undefined: no such company. */
export const showCompany = (company: string): Outcome =>
  onLocalService(({ db, config }) => setOperatorPolicy({ db, deployment: config.deployment }, company, {}))

/** Changes the named limits. */
export const setCompany = (company: string, set: OperatorColumns): Outcome =>
  actOnService({ act: 'company_set', subject: company, details: set }, ({ db, config }) =>
    setOperatorPolicy({ db, deployment: config.deployment }, company, set),
  )
