import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { requireParts, type Step } from './step.ts'
import type { World } from './world.ts'

/** Who manages one department, and deploys by the names and the next steps that the command prints. */
export function managerSteps(world: World): Step[] {
  const dan = () => world.commandOf('dan')
  const task = 'words-of-sales'
  let room = ''
  const step = (does: string, run: () => Promise<unknown>): Step => ({
    person: 'department manager',
    does,
    run: async () => void (await run()),
  })
  /** The first word that follows in what was printed. */
  const after = (text: string, words: string): string => {
    const [, found] = new RegExp(`${words}(\\S+)`).exec(text) ?? []
    if (found === undefined) throw new Error(`nothing follows ${words}:\n${text}`)
    return found
  }

  return [
    step('sees own departments and rooms by name', async () => {
      await (await dan()).must(['whoami'], 'department manager', /departments +sales \(dep_/)
      const rooms = await (await dan()).must(['rooms'], 'daily-numbers', /key-accounts .* sales +manager/)
      room = after(rooms, '(?:^|\\n)(?=daily-numbers )')
    }),
    step('deploys by the printed next steps into the only department', async () => {
      const command = await dan()
      const next = await command.must(['init', task, '--template', 'shell'], 'Next:', 'sandbox deploy')
      requireParts(next, `cd ${task}`)
      await command.must(['deploy', task], 'Deployed version 1')
      const shown = JSON.parse(await command.must(['task', 'show', task, '--json'])) as Shown
      if (shown.owner_scope !== 'department') throw new Error(JSON.stringify(shown))
    }),
    step('is told the near name of a wrong room, and nothing is built', async () => {
      const command = await dan()
      await command.mustFail(['share', task, '--room', 'daily-nubmers'], 'Did you mean daily-numbers?')
    }),
    step('shares and enables the task in a room of the department, and runs it', async () => {
      const command = await dan()
      const file = join(command.home, task, 'task.yaml')
      const text = await readFile(file, 'utf8')
      const named = text.replace(/^# (share|enable): (.*)NAME/gm, `$1: $2${room}`)
      if (named === text) throw new Error(`task.yaml names no room to fill in:\n${text}`)
      await writeFile(file, named)
      await command.must(['deploy', task])
      const run = ['run', task, '--room', room, '--input', `${task}/input.json`, '--watch']
      await command.must(run, /"words": ?3/)
    }),
    step('names the department by option, and misspells it', async () => {
      const command = await dan()
      await command.must(['deploy', task, '--department', 'sales'], 'Nothing has changed')
      await command.must(['init', 'second', '--template', 'shell'])
      const wrong = ['deploy', 'second', '--department', 'slaes']
      await command.mustFail(wrong, 'Did you mean sales?')
      await command.mustFail(['deploy', 'second', '--department', 'support'], 'sales')
    }),
    step('sees the run with its task and its person', async () => {
      const runs = await (await dan()).must(['runs', '--room', room], task)
      requireParts(runs, 'Dan')
    }),
  ]
}

interface Shown {
  owner_scope: string
}
