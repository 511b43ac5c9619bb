import { expect, test } from 'vitest'
import { ConfigInvalid, readConfig } from './config.ts'

const listening = (listen: string) => () => readConfig({ SANDBOX_OPERATOR_LISTEN: listen }).operatorListen

test('the operator console listens on 127.0.0.1 or [::1], and nowhere else', () => {
  for (const listen of ['127.0.0.1:8079', '[::1]:8079']) expect(listening(listen)()).toBe(listen)
  for (const listen of [
    ...['127.0.0.2:8079', '127.1:8079', '0.0.0.0:8079', '192.0.2.7:8079', '[::]:8079', 'localhost:8079'],
    ...['127.0.0.1', '127.0.0.1:0', '127.0.0.1:65536', '127.0.0.1:8079:1'],
  ])
    expect(listening(listen)).toThrow(ConfigInvalid)
  expect(listening('127.0.0.2:8079')).toThrow('because the operator console has no TLS')
})
