import { expect, test } from 'vitest'
import { hostsIn, packageClients, reachOf, reachOfHost } from './package-clients.ts'

test('hosts are read from the output of clients', () => {
  const text = `http://deb.example.org/debian/\nhttps://user:secret@index.example.org:8443/simple,direct sums.example.org
    http://10.0.0.5/x https://[fd00::1]/x cdrom:[x] *** CURRENT SOURCES *** @CRAN@ off http://localhost/ https://`
  expect(hostsIn(text)).toEqual(['deb.example.org', 'index.example.org', 'sums.example.org'])
})

test('the clients of this machine name theirs', async () => {
  const found = await packageClients()
  expect(found.map(({ client }) => client)).toContain('pip')
  for (const { hosts } of found) expect(hosts.length).toBeGreaterThan(0)
})

test('a host in a private network differs from one where no mirror may be', async () => {
  expect(reachOf(['10.0.0.5', 'fd00::1'])).toBe('private')
  expect(reachOf(['10.0.0.5', '1.1.1.1'])).toBe('public')
  expect(reachOf(['203.0.113.80'])).toBe('unusable')
  expect(await reachOfHost('localhost')).toBe('unusable')
  expect(await reachOfHost('absent.invalid')).toBe('public')
})
