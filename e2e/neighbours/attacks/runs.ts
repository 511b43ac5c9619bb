import { type Attack, hammer } from '../attack.ts'
import { type HostileTask, longTimeoutSeconds } from '../companies.ts'
import { sendRequest } from '../send-request.ts'

const submitters = 4

/** Submits as many runs of one task as are accepted, with the maximum timeout. */
const submitting = (task: HostileTask, about: string): Attack => ({
  name: task,
  about,
  run: (hostile, signal, answers) =>
    hammer({ signal, answers, atOnce: submitters }, (stop) =>
      sendRequest(
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
  submitting('processor', 'runs that compute without end'),
  submitting('memory', 'runs that fill their memory'),
  submitting('disk', 'runs with the maximum log, output and artifacts'),
  submitting('names', 'runs that query names without end'),
]
