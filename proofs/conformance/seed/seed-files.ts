import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Principal } from '../../../server/access/principal.ts'
import type { SeedTools } from './seed-tools.ts'

/** The content of the only file of the session. */
export const sessionFile = 'a,b'

/** An input file and a session with a file, both of the person. */
export async function makeFiles(
  { sendOk }: SeedTools,
  { room, person }: { room: string; person: Principal },
): Promise<{ inputFile: string; session: string }> {
  const params = { cid: room }
  const file = await sendOk(person, allRoutes.uploadInputFile, {
    params,
    query: { name: 'data.csv' },
    bytes: Buffer.from('a,b'),
  })
  const session = String((await sendOk(person, allRoutes.createSession, { params, body: {} })).id)
  await sendOk(person, allRoutes.writeSessionFile, {
    params: { ...params, sid: session },
    query: { path: 'data/a.csv' },
    bytes: Buffer.from(sessionFile),
  })
  return { inputFile: String(file.id), session }
}
