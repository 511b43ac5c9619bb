import { requireParts, type Step } from './step.ts'
import type { World } from './world.ts'

const room = 'daily-numbers'
const task = 'words-of-sales'

/** Steps of a person who manages one department, and gets to a result by typing what the command prints. */
export function managerSteps(world: World): Step[] {
  const dan = () => world.commandOf('dan')
  const step = (does: string, run: () => Promise<unknown>): Step => ({
    person: 'department manager',
    does,
    run: async () => void (await run()),
  })
  /** The printed commands that begin with these words, as arguments. */
  const printedIn = (text: string, words: string): string[] => {
    const line = text.split('\n').find((one) => one.trim().startsWith(`sandbox ${words}`))
    if (line === undefined) throw new Error(`no next step sandbox ${words}:\n${text}`)
    return line.trim().split(' ').slice(1)
  }

  return [
    step('sees own departments and rooms by name', async () => {
      await (await dan()).must(['whoami'], 'department manager', /departments +sales \(dep_/)
      await (await dan()).must(['rooms'], room, /key-accounts .* sales +manager/)
    }),
    step(
      'deploys without a room, into the only department, and gets the task into a room as printed',
      async () => {
        const command = await dan()
        const next = await command.must(['init', task, '--template', 'shell'], `cd ${task}`)
        const deployed = await command.must([...printedIn(next, 'deploy'), task], 'Deployed version 1')
        const shown = JSON.parse(await command.must(['task', 'show', task, '--json'])) as Shown
        if (shown.task.owner_scope !== 'department') throw new Error(JSON.stringify(shown))
        for (const words of ['share', 'enable']) {
          const typed = printedIn(deployed, words).map((word) => (word === 'ROOM' ? room : word))
          await command.must(typed)
        }
        await command.must(['menu', '--room', room], task)
      },
    ),
    step('names department and room by name, and runs what is deployed as printed', async () => {
      const command = await dan()
      await command.must(['init', 'second', '--template', 'shell', '--room', room])
      const deployed = await command.must(['deploy', 'second', '--department', 'sales'], 'Deployed version 1')
      await command.must(printedIn(deployed, 'run'), 'counting 3 words', /"words": ?3/)
    }),
    step('misspells a room and a department, and is told the near names', async () => {
      const command = await dan()
      await command.mustFail(['share', task, '--room', 'daily-nubmers'], 'Did you mean daily-numbers?')
      await command.mustFail(['deploy', task, '--department', 'slaes'], 'Did you mean sales?')
      await command.mustFail(['deploy', task, '--department', 'support'], 'Existing: sales')
    }),
    step('sees runs with their tasks and persons', async () => {
      const runs = await (await dan()).must(['runs'], 'RUN', 'TASK', 'BY')
      requireParts(runs, /run_\S+ +second +you +completed/, room)
    }),
  ]
}

interface Shown {
  task: { owner_scope: string }
}
