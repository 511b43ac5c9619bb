import { connection } from './api.ts'

/** Tries a service that did not answer at once when there is a network again, or somebody looks at the page. */
export function watchConnection(): void {
  addEventListener('online', connection.tryNow)
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') connection.tryNow()
  })
}
