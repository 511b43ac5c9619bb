import type { LightMyRequestResponse } from 'fastify'
import { exampleCall } from './expectations/expectation.ts'
import type { Cell } from './expected-answer.ts'
import { sessionFile } from './seed/seed-files.ts'
import type { World } from './world.ts'

/** Sends the request of one cell. It changes the world, so callers rewind it. */
export async function sendCell(
  world: World,
  { route, expectation, caller }: Cell,
  params: Record<string, string>,
): Promise<LightMyRequestResponse> {
  if (caller === 'sandboxKeyInside' && params.rid) await giveRunToKey(world, params.rid)
  if (caller === 'sandboxKeyInside' && params.fid) await giveFileToKey(world, params.fid)
  if (params.sid) await restoreFiles(world)
  const seed = caller === 'otherCompany' && !route.params ? world.foreign : world.own
  return world.send(caller, route, { params, ...exampleCall(expectation, seed) })
}

/** A key with sandbox scope sees only runs that it submitted. */
async function giveRunToKey(world: World, run: string): Promise<void> {
  const { db } = world.database
  const key = db.selectFrom('api_keys').select('id').where('name', '=', 'inside')
  await db
    .updateTable('runs')
    .set({ api_key_id: key, auth_method: 'api_key' })
    .where('id', '=', run)
    .execute()
}

/** The same for files that it uploaded. */
async function giveFileToKey(world: World, file: string): Promise<void> {
  const { db } = world.database
  const key = db.selectFrom('api_keys').select('id').where('name', '=', 'inside')
  await db.updateTable('input_files').set({ api_key_id: key }).where('id', '=', file).execute()
}

/** An object that a request deleted from storage does not come back when the database is rewound. */
async function restoreFiles({ database, storage }: World): Promise<void> {
  for (const { storage_key } of await database.db.selectFrom('session_packs').select('storage_key').execute())
    await storage.put(storage_key, Buffer.from(sessionFile))
}
