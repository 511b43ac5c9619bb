import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../main-job/service.ts'
import { assignments, SecondService } from './second-service.ts'
import { requireParts, type Step } from './step.ts'
import type { World } from './world.ts'

const room = 'daily-numbers'
const trialFolder = '/var/lib/sandbox-jobs-trial'
const movedFolder = '/var/lib/sandbox-jobs-moved'
const backup = '/var/backups/sandbox-jobs'
/** Files of the machine. A backup does not contain them, and it takes minutes to make them again. */
const machineFiles = ['builder', 'base-images', 'base-images.json']

/** The service moves to Debian's own Postgres and behind a proxy with TLS, after people have logged in and shared pages. */
export function secondDaySteps(world: World): Step[] {
  const { root, port } = world
  const mia = () => world.commandOf('mia')
  let second: SecondService
  let page = ''
  const step = (person: Step['person'], does: string, run: () => Promise<unknown>): Step => ({
    person,
    does,
    run: async () => void (await run()),
  })
  const takeMachineFiles = (folder: string) => {
    const copies = machineFiles.map((name) => `cp -al /var/lib/sandbox-jobs/agent/${name} ${folder}/agent/`)
    return second.must([
      'sh',
      '-ec',
      `mkdir -p -m 711 ${folder}; mkdir -p -m 700 ${folder}/agent; ${copies.join('; ')}`,
    ])
  }
  const onMoved = () => ({ SANDBOX_DATA: movedFolder, DATABASE_URL: second.databaseUrl('moved') })

  return [
    step('operator', "installs Debian's own Postgres and nginx", async () => {
      second = new SecondService(root, { service: port, proxy: await freePort() })
      await second.install()
      console.log(`         Postgres ${await second.startPostgres(['trial', 'moved'])}`)
    }),
    step('operator', 'runs the quickstart on an empty database of that Postgres', async () => {
      world.dataFolders.push(trialFolder)
      await takeMachineFiles(trialFolder)
      const where = ['--port', String(await freePort()), '--data', trialFolder]
      const settings = assignments({ DATABASE_URL: second.databaseUrl('trial') })
      await second.must(['env', ...settings, './quickstart', '--once', ...where], '"best_product"', 'Done in')
    }),
    step('person in a room', 'shares a page before the service moves', async () => {
      const ran = await (await mia()).must([
        'run',
        'python',
        '--room',
        room,
        '--set',
        'text=to be moved',
        '--watch',
      ])
      const [run = ''] = /run_[0-9a-f]+/.exec(ran) ?? []
      const text = await (await mia()).must(['links', run, '--room', room, '--share'], 'http')
      page = new URL(/http\S+/.exec(text)?.[0] ?? '').pathname
    }),
    step('operator', 'moves the service to that Postgres by a backup', async () => {
      world.dataFolders.push(movedFolder)
      await second.must(['./sandbox', 'operator', 'backup', backup])
      await second.must(['./sandbox', 'down'])
      await second.must(['env', ...assignments(onMoved()), './sandbox', 'operator', 'restore', backup])
      await takeMachineFiles(movedFolder)
    }),
    step('operator', 'starts it behind a proxy with TLS, at a new address', async () => {
      await second.startProxy()
      await second.up({ ...onMoved(), SANDBOX_BASE_URL: second.url, SANDBOX_TRUSTED_PROXIES: '127.0.0.0/8' })
    }),
    step(
      'person in a room',
      'is still logged in, and the page shared before is there at both addresses',
      async () => {
        const command = await mia()
        await command.must(['whoami'], 'mia')
        const old = await fetch(`${world.url}${page}`)
        if (old.status !== 200) throw new Error(`the old address answers ${old.status}`)
        const { status, body } = await second.read(page)
        if (status !== 200) throw new Error(`the new address answers ${status}`)
        requireParts(body, 'Counts the words of a text')
        const stored = JSON.parse(
          await readFile(join(command.home, '.config/sandbox-jobs/credentials.json'), 'utf8'),
        ) as Stored
        command.settings.NODE_EXTRA_CA_CERTS = second.certificate
        command.settings.SANDBOX_TOKEN = stored.logins[world.url]?.token ?? ''
        await command.must(['whoami', '--url', second.url], second.url, /principal +user usr_/)
      },
    ),
    step('author', 'logs in at the new address, and deploys a project of 3 MiB through the proxy', () =>
      deployLarge(world, second),
    ),
  ]
}

/** A project larger than what a proxy takes unless it is told otherwise. */
async function deployLarge(world: World, second: SecondService): Promise<void> {
  const command = await world.commandOf('ada')
  command.settings.NODE_EXTRA_CA_CERTS = second.certificate
  await command.logIn('ada', await world.passwordOf('ada'), second.url)
  await command.must(['init', 'large', '--template', 'shell', '--room', room])
  requireParts(await readFile(join(command.home, 'large/task.yaml'), 'utf8'), `$schema=${second.url}/`)
  await writeFile(join(command.home, 'large/image/data'), Buffer.alloc(3 * 1024 ** 2, 'not to be compressed'))
  await command.must(['deploy', 'large'], 'Deployed version 1')
  const run = ['run', 'large', '--room', room, '--input', 'large/input.json', '--watch']
  const text = await command.must(run, 'counting 3 words', /"words": ?3/)
  const [id = ''] = /run_[0-9a-f]+/.exec(text) ?? []
  await command.must(['links', id, '--room', room, '--share'], second.url)
}

interface Stored {
  logins: Record<string, { token: string } | undefined>
}
