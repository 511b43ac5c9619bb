import type { GatewayKeyList } from '@sandbox-jobs/contract/operator/gateway-key.ts'
import {
  ActRequest,
  CompanyQuery,
  SetBudgetRequest,
  SetLimitsRequest,
} from '@sandbox-jobs/contract/operator/operator-requests.ts'
import { operatorRoutes } from '@sandbox-jobs/contract/operator/operator-routes.ts'
import type { Deployment } from '@sandbox-jobs/contract/resources/environments/region.ts'
import { listGatewayKeys } from '../../access/keys/gateway-keys.ts'
import type { Clock } from '../../base/clock.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import { microOf } from '../../billing/money.ts'
import { findCompanyId, listCompaniesNamed } from '../../companies/companies.ts'
import type { Database } from '../../db/database.ts'
import { setBudget, setLimits } from '../../operations/acts/company-acts.ts'
import { revokeKey } from '../../operations/acts/key-acts.ts'
import { readOperatedCompany } from '../../operations/operator-view/operated-company.ts'
import type { OperatorMount } from './operator-mount.ts'

interface Services {
  db: Database
  clock: Clock
  config: { deployment: Deployment }
}

export function mountCompanyRoutes({ show, act }: OperatorMount<Services>, { db, config }: Services): void {
  show(operatorRoutes.listCompanies, ({ query }) => listCompaniesNamed(db, query.name ?? ''), CompanyQuery)
  show(operatorRoutes.readCompany, async ({ params }) => {
    const found = await readOperatedCompany({ db, deployment: config.deployment }, params.id)
    if (!found) throw notFound()
    return found
  })
  show(operatorRoutes.listGatewayKeys, async ({ params }): Promise<GatewayKeyList> => {
    const id = await findCompanyId(db, params.id)
    if (id === undefined) throw notFound()
    return { items: await listGatewayKeys(db, id) }
  })
  act(operatorRoutes.revokeGatewayKey, ActRequest, ({ params }) => revokeKey(params.id, params.key))
  act(operatorRoutes.setBudget, SetBudgetRequest, ({ params, body: { amount, month, recurring } }) => {
    const amountMicro = microOf(amount)
    if (amountMicro === undefined) throw new Error('the pattern of budgets allows a text that is no amount')
    return setBudget(params.id, { amountMicro, month, recurring })
  })
  act(operatorRoutes.removeBudgets, ActRequest, ({ params }) => setBudget(params.id, 'none'))
  act(operatorRoutes.setLimits, SetLimitsRequest, ({ params, body }) => setLimits(params.id, body.limits))
}
