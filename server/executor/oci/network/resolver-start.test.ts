import { expect, it, vi } from 'vitest'
import { Resolver } from './resolver.ts'

it('a resolver that cannot be started is tried again, and its agent goes on', async () => {
  const errors: unknown[] = []
  const resolver = new Resolver(
    '/nowhere/resolver',
    { namespace: '/nowhere' },
    { lists: new Map(), shares: new Map(), recorded: new Map(), onError: (error) => errors.push(error) },
  )
  await vi.waitFor(() => expect(errors.length).toBeGreaterThan(1), 5000)
  await expect(resolver.record(2)).rejects.toMatchObject({ slug: 'network_list' })
  await resolver.stop()
  expect(errors[0]).toMatchObject({ code: 'ENOENT' })
})
