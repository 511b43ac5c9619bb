import { describe, expect, it } from 'vitest'
import { LoginAttempts } from './login-attempts.ts'

const start = () => {
  let nowMs = 0
  const attempts = new LoginAttempts({ now: () => new Date(nowMs) })
  return {
    attempts,
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

const times = (count: number, act: () => unknown) => Array.from({ length: count }, act)

describe('the bound on failed logins', () => {
  it('lets one client fail five times, then once a minute', () => {
    const { attempts, pass } = start()
    expect(times(6, () => attempts.take('ada', '1.1.1.1'))).toEqual([0, 0, 0, 0, 0, 60])
    pass(59_000)
    expect(attempts.take('ada', '1.1.1.1')).toBe(1)
    pass(1000)
    expect(attempts.take('ada', '1.1.1.1')).toBe(0)
    expect(attempts.take('ada', '1.1.1.1')).toBe(60)
  })

  it('does not count right passwords', () => {
    const { attempts } = start()
    times(20, () => {
      expect(attempts.take('ada', '1.1.1.1')).toBe(0)
      attempts.giveBack('ada', '1.1.1.1')
    })
  })

  it('leaves a user alone when another client guesses', () => {
    const { attempts } = start()
    times(30, () => attempts.take('ada', '6.6.6.6'))
    expect(attempts.take('ada', '1.1.1.1')).toBe(0)
  })

  it('bounds what many clients together may guess of one login', () => {
    const { attempts } = start()
    const waits = Array.from({ length: 60 }, (_, client) => attempts.take('ada', `10.0.0.${client}`))
    expect(waits.filter((seconds) => seconds === 0)).toHaveLength(50)
    expect(attempts.take('bob', '10.0.0.1')).toBe(0)
  })
})
