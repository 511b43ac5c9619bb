import { expect, it } from 'vitest'
import { SharedSlots } from './shared-slots.ts'

it('limits the slots of an owner, and reuses released ones', () => {
  const slots = new SharedSlots({ all: 10, each: 2, assuredEach: 1 })
  const release = slots.take('a')
  expect(slots.take('a')).toBeDefined()
  expect(slots.take('a')).toBeUndefined()
  release?.()
  release?.()
  expect(slots.take('a')).toBeDefined()
  expect(slots.take('a')).toBeUndefined()
})

it('assures slots to each owner when others occupy all', () => {
  const slots = new SharedSlots({ all: 3, each: 3, assuredEach: 1 })
  for (let taken = 0; taken < 3; taken += 1) expect(slots.take('hostile')).toBeDefined()
  expect(slots.take('quiet')).toBeDefined()
  expect(slots.take('quiet')).toBeUndefined()
  expect(slots.take('hostile')).toBeUndefined()
})
