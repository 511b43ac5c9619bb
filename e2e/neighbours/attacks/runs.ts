import { type Attack, ask, hammer } from '../attack.ts'
import { type HostileTask, longTimeoutSeconds } from '../companies.ts'

const submitters = 4

/** Submits runs of one task, as many as are taken, with the longest timeout that may be asked for. */
const submitting = (task: HostileTask, about: string): Attack => ({
  name: task,
  about,
  run: (hostile, signal, answers) =>
    hammer({ signal, answers, atOnce: submitters }, (stop) =>
      ask(
        hostile,
        {
          path: `/private/module/sandbox/chatrooms/${hostile.room}/runs`,
          json: {
            task_version_id: hostile.versions[task],
            input: {},
            ...(task !== 'disk' && { timeout_seconds: longTimeoutSeconds }),
          },
        },
        stop,
      ),
    ),
})

export const runAttacks: Attack[] = [
  submitting('places', 'runs that sleep, with the longest timeout'),
  submitting('processor', 'runs that never rest'),
  submitting('memory', 'runs that fill their memory'),
  submitting('disk', 'runs that leave all the log, output and artifacts they may'),
  submitting('names', 'runs that ask for names without end'),
]
