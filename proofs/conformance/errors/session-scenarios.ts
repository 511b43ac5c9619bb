import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type ErrorScenarios, type ScenarioContext, submission } from './error-scenario.ts'

const submit = (context: ScenarioContext, session_id = context.ids.session) => {
  const request = submission(context)
  const body = { ...request.body, session: { session_id } }
  return context.send('member', allRoutes.submitExtendedRun, { ...request, body })
}

const addressOf = ({ ids }: ScenarioContext) => ({ params: { cid: ids.room, sid: ids.session } })

const change = (context: ScenarioContext, set: { size_limit_bytes?: number; byte_size?: number }) =>
  context.db.updateTable('sessions').set(set).where('id', '=', context.ids.session).execute()

/** Errors of sessions. */
export const sessionScenarios: ErrorScenarios = {
  session_not_found: (context) => submit(context, context.world.foreign.ids.session),
  session_in_use: async (context) => {
    await submit(context)
    return context.send('member', allRoutes.deleteSession, addressOf(context))
  },
  session_full: async (context) => {
    await change(context, { size_limit_bytes: 4 })
    const bytes = Buffer.from('12345')
    const query = { path: 'large' }
    return context.send('member', allRoutes.writeSessionFile, { ...addressOf(context), query, bytes })
  },
  session_path_conflict: (context) =>
    context.send('member', allRoutes.createSessionFolder, {
      ...addressOf(context),
      body: { path: 'data/a.csv/below' },
    }),
  session_size_limit: (context) =>
    context.send('member', allRoutes.createSession, {
      params: { cid: context.ids.room },
      body: { size_limit_bytes: Number.MAX_SAFE_INTEGER },
    }),
  session_too_large: async (context) => {
    await change(context, { byte_size: 2 ** 40 })
    return submit(context)
  },
}
