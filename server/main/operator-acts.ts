import { type OperatorActs, readActs } from '../audit/operator-acts.ts'
import { onLocalService, type ServiceRefusal } from './local-service.ts'

/** The newest acts of operators. */
export const readOperatorActs = (
  limit: number,
): Promise<{ ok: true; value: OperatorActs } | ServiceRefusal> =>
  onLocalService(({ db }) => readActs(db, limit))
