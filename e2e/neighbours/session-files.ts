import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Tenant } from '../main-job/tenant.ts'
import { sendRequest } from './send-request.ts'

/** Users of the hostile company's door, each with a session. */
export const users = { long: 'long-names', many: 'many-files' } as const
/** Near the most entries that a session may have. */
const manyFiles = 19_000
export const folderOfMany = 'f'

const waitSeconds = 300
const letters = (letter: string, count: number) => letter.repeat(count)

/** Writes files whose names are as long as they may be, near the most that their names may have in all. */
const longCommand = loop(`${['a', 'b', 'c'].map((one) => letters(one, 250)).join('/')}`, {
  name: letters('d', 240),
  count: 4100,
})
const manyCommand = loop(folderOfMany, { name: letters('n', 190), count: manyFiles })

function loop(folder: string, { name, count }: { name: string; count: number }): string {
  const first = 10_000
  return `mkdir -p ${folder} && cd ${folder} && at=${first} && while [ $at -lt ${first + count} ]; do echo x >${name}$at; at=$((at + 1)); done`
}

/** A door of Open WebUI with two users whose sessions are as full as they can be. Returns its key. */
export async function doorToFullSessions(tenant: Tenant, environmentVersion: string): Promise<string> {
  const { door_key: key } = await tenant.client.call(allRoutes.createDoor, {
    params: { cid: tenant.room },
    body: {
      name: 'terminal',
      kind: 'open_terminal',
      // The platform's own shell: the image has none.
      runtimes: [{ language: 'bash', environment_version_id: environmentVersion, run_command: '. "$1"' }],
      timeout_seconds: waitSeconds,
    },
  })
  await execute(tenant, key, { user: users.long, command: longCommand })
  await execute(tenant, key, { user: users.many, command: manyCommand })
  return key
}

async function execute(
  { baseUrl, token }: Tenant,
  key: string,
  { user, command }: { user: string; command: string },
): Promise<void> {
  const path = `/doors/open_terminal/execute?wait=${waitSeconds}`
  const headers = doorHeaders(key, user)
  const { status, body } = await sendRequest(
    { url: baseUrl, token },
    { path, json: { command }, headers, anonymous: true },
    AbortSignal.timeout(waitSeconds * 1000),
  )
  if (status !== 200 || (JSON.parse(body) as { exit_code: number }).exit_code !== 0)
    throw new Error(`the files of ${user} are not written: ${status} ${body.slice(0, 2000)}`)
}

/** Headers that the platform sends with the request of a user. */
export const doorHeaders = (key: string, user: string): Record<string, string> => ({
  authorization: `Bearer ${key}`,
  'x-user-id': user,
})
