import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { repeated } from '../../args/repeated.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { wholeNumber } from '../../args/whole-number.ts'
import { findRoom } from '../../lookup/find-room.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { type Session, withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  room?: string[]
  full?: boolean
  origin?: string[]
  expires?: number
}

export const keysCreateCommand = (): Command =>
  serviceCommand('create')
    .description('create an API key, and print it once')
    .argument('<name>', 'name of the key')
    .option('--room <room>', 'a room that the key may use, by id or name; repeatable', repeated)
    .option('--full', 'a key that may do all that you may do, instead of rooms')
    .option('--origin <origin>', 'web page that may use the key from a browser; repeatable', repeated)
    .option('--expires <days>', 'days until the key expires (default: never)', wholeNumber)
    .addHelpText(
      'after',
      '\nA key for rooms submits runs there, and reads and cancels its own. Only standard output has the key.',
    )
    .action((name: string, options: Options, command: Command) => {
      if ((options.full === true) === (options.room !== undefined)) {
        command.error('error: give either --room or --full')
      }
      return withSession(options, (session) => create(session, name, options))
    })

const dayMs = 86_400_000

async function create(session: Session, name: string, options: Options): Promise<void> {
  const rooms: string[] = []
  for (const room of options.room ?? []) rooms.push(await findRoom(session, room))
  const key = await session.client.call(allRoutes.createApiKey, {
    body: {
      name,
      ...(options.full === true ? { scope: 'full' } : { scope: 'sandbox', allowed_chatroom_ids: rooms }),
      ...(options.origin === undefined ? {} : { domains: options.origin }),
      ...(options.expires === undefined
        ? {}
        : { expires_at: new Date(Date.now() + options.expires * dayMs).toISOString() }),
    },
  })
  session.report.progress(`${key.id}; this is shown once:`)
  session.report.result(`${key.api_key}\n`, key)
}
