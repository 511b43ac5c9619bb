import { expect, test } from 'vitest'
import { screenOf } from './screen-of.ts'

test('a run of a notification is a screen of the console', () => {
  expect(screenOf('/console/chatrooms/roo_1/runs/run_1')).toBe('/chatrooms/roo_1/runs/run_1')
  expect(screenOf('/console/runs')).toBe('/runs')
  expect(screenOf('/console/chatrooms/roo_1/manage/secrets')).toBe('/chatrooms/roo_1/manage/secrets')
  expect(screenOf('/console/environments/env_1/findings')).toBe('/environments/env_1/findings')
})

test.each(['/chatrooms/roo_1', '/tasks/tsk_1', '/tables/tbl_1/rows', '/company/people/usr_1'])(
  'a found thing at %s is a screen of the console',
  (path) => {
    expect(screenOf(`/console${path}`)).toBe(path)
  },
)

test.each([
  '//evil.test/console/runs',
  'https://evil.test',
  '/console//evil.test',
  '/docs',
  '/console/unknown',
])('the address %s is no screen of the console', (address) => {
  expect(screenOf(address)).toBeUndefined()
})
