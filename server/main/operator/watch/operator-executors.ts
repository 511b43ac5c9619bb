import { type ListedExecutor, listExecutors } from '../../../operations/top/live-work-store.ts'
import { removeExecutor, setDraining } from '../../../work/executor-store.ts'
import { actOnService, type Outcome, onLocalService } from '../local-service.ts'

/** The executors of the deployment, with what is claimed for them. */
export const readExecutors = (): Outcome<ListedExecutor[]> => onLocalService(({ db }) => listExecutors(db))

/** Has an executor claim nothing more, or claim again. False: there is no such executor. */
export const drainExecutor = (id: string, draining: boolean): Outcome<boolean> =>
  actOnService({ act: draining ? 'executor_drain' : 'executor_resume', subject: id }, ({ db }) =>
    setDraining(db, id, draining),
  )

/** Removes an executor whose machine is gone. */
export const giveUpExecutor = (id: string): Outcome<Awaited<ReturnType<typeof removeExecutor>>> =>
  actOnService({ act: 'executor_remove', subject: id }, ({ db }) => removeExecutor(db, id))
