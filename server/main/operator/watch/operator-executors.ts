import { type ListedExecutor, listExecutors } from '../../../operations/top/live-work-store.ts'
import { type Outcome, onLocalService } from '../local-service.ts'

/** The executors of the deployment, with what is claimed for them. */
export const readExecutors = (): Outcome<ListedExecutor[]> => onLocalService(({ db }) => listExecutors(db))
