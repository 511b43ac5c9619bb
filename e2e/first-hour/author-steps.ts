import { execFile } from 'node:child_process'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Step } from './step.ts'
import type { World } from './world.ts'

const templates = ['python', 'node', 'shell', 'r', 'java', 'static']
const room = 'daily-numbers'

export function authorSteps(world: World): Step[] {
  const ada = () => world.commandOf('ada')
  const edit = async (path: string, from: string, to: string) => {
    const file = join((await ada()).home, path)
    const text = await readFile(file, 'utf8')
    if (!text.includes(from)) throw new Error(`${path} has no ${from}:\n${text}`)
    await writeFile(file, text.replace(from, to))
  }
  const step = (does: string, run: () => Promise<unknown>): Step => ({
    person: 'author',
    does,
    run: async () => void (await run()),
  })
  const watched = (name: string) => ['run', name, '--room', room, '--input', `${name}/input.json`, '--watch']

  return [
    step('downloads the command from the service and logs in', async () =>
      (await ada()).must(['whoami'], 'ada'),
    ),
    ...templates.map((template) =>
      step(`goes from the template ${template} to a result`, async () => {
        const command = await ada()
        await command.must(['init', template, '--template', template, '--room', room])
        if (template === 'static') {
          const compile = ['-static', '-O2', '-o', 'image/main', 'main.c']
          await promisify(execFile)('cc', compile, { cwd: join(command.home, template) })
        }
        await command.must(['deploy', template], 'Deployed version 1')
        await command.must(watched(template), /"words": ?3/)
      }),
    ),
    step('runs a task without the service', async () => {
      const command = await ada()
      await cp(join(command.home, 'shell/image'), join(command.home, 'rootfs/app'), { recursive: true })
      const alone = ['run', '--local', 'shell', '--engine', 'crun', '--rootfs', 'rootfs', '--no-network']
      await command.must(alone, 'This is no isolation', 'counting 3 words', '"words":3')
    }),
    step('deploys again without a change', async () =>
      (await ada()).must(['deploy', 'python'], 'Nothing has changed'),
    ),
    step('edits the program and sees the new result', async () => {
      await edit('python/image/main.py', '"words": len(words)', '"words": len(words) * 2')
      await (await ada()).must(['deploy', 'python'], 'Deployed version 2')
      await (await ada()).must(watched('python'), /"words": ?6/)
    }),
    step('misspells an instruction and is told the right one', async () => {
      await edit('shell/image/Dockerfile', 'FROM', 'FORM')
      await (await ada()).mustFail(['deploy', 'shell'], 'Did you mean FROM?')
      await edit('shell/image/Dockerfile', 'FORM', 'FROM')
    }),
    step('gives a wrong input and is told what is wrong, with the example', async () => {
      const wrong = ['run', 'python', '--room', room, '--input', '{"txt": "one"}']
      await (await ada()).mustFail(wrong, 'text is missing', 'did you mean text?', 'one two three')
    }),
    step('writes no output and is told so', async () => {
      await edit('shell/image/main.sh', "printf '{", ": printf '{")
      await (await ada()).must(['deploy', 'shell'], 'Deployed version 2')
      const { text } = await (await ada()).run(watched('shell'))
      if (!/output/i.test(text)) throw new Error(text)
    }),
    step('misspells a command and is told the right one', async () =>
      (await ada()).mustFail(['deplyo'], 'deploy'),
    ),
  ]
}
