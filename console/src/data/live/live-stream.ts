import type { LiveEvent } from '@sandbox-jobs/contract/resources/notifications/live-event.ts'
import { signInNeeded } from '../api/sign-in-state.ts'
import { type Follower, HeldStream, isStreamUp } from './held-stream.ts'
import { ownTopics, TopicsOfTabs } from './live-topics.ts'

/*
 * One event stream for all tabs of a browser, which may open six connections to a host. The tab that has the lock holds
 * the stream and passes its events on; when it closes, the next tab takes over and asks the others for their topics.
 */

const name = 'sandbox-stream'

/** Messages between the tabs. `hello`: somebody is signed in there. `lead`: another tab holds the stream from now on. */
type Message =
  | { kind: 'event'; event: LiveEvent }
  | { kind: 'state'; isUp: boolean }
  | { kind: 'hello' }
  | { kind: 'lead' }
  | { kind: 'topics'; tab: string; topics: readonly string[] }

/** Calls `onEvent` for each event of the person, in every tab. */
export function followLiveEvents({ onEvent, checkSignIn }: Follower): void {
  const channel = new BroadcastChannel(name)
  const send = (message: Message) => channel.postMessage(message)
  const tab = crypto.randomUUID()
  const topics = new TopicsOfTabs()
  let held: HeldStream | undefined

  function noteTopics(of: string, wanted: readonly string[]): void {
    topics.note(of, wanted)
    held?.update()
  }
  function sendTopics(): void {
    noteTopics(tab, ownTopics.get())
    send({ kind: 'topics', tab, topics: ownTopics.get() })
  }

  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'event') onEvent(data.event)
    else if (data.kind === 'state') isStreamUp.set(data.isUp)
    else if (data.kind === 'lead') sendTopics()
    else if (data.kind === 'topics') noteTopics(data.tab, data.topics)
    else if (held) {
      send({ kind: 'state', isUp: isStreamUp.get() })
      held.wake()
    }
  })
  signInNeeded.subscribe(() => {
    if (signInNeeded.get()) return
    send({ kind: 'hello' })
    held?.wake()
  })
  isStreamUp.subscribe(() => {
    if (held) send({ kind: 'state', isUp: isStreamUp.get() })
  })
  ownTopics.subscribe(sendTopics)
  addEventListener('pagehide', () => send({ kind: 'topics', tab, topics: [] }))
  send({ kind: 'hello' })
  void navigator.locks.request(name, () => {
    const follower = {
      checkSignIn,
      onEvent: (event: LiveEvent) => {
        send({ kind: 'event', event })
        onEvent(event)
      },
    }
    held = new HeldStream(follower, () => topics.all())
    send({ kind: 'lead' })
    // The lock is given back when the tab closes.
    return new Promise<never>(() => undefined)
  })
}
