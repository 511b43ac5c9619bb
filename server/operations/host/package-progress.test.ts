import { expect, test } from 'vitest'
import { PackageCounter } from './package-progress.ts'

const output = `Get:1 http://mirror.example/debian trixie InRelease [140 kB]
The following NEW packages will be installed:
0 upgraded, 2 newly installed, 0 to remove and 0 not upgraded.
Need to get 1,500 kB of archives.
Get:1 http://mirror.example/debian trixie/main amd64 dash amd64 0.5.12-12 [98.5 kB]
Get:2 http://mirror.example/debian trixie/main amd64 bash amd64 5.2.37-2 [1,501 kB]
Unpacking bash (5.2.37-2) ...
Setting up dash (0.5.12-12) ...
Setting up bash (5.2.37-2) ...
0 upgraded, 1 newly installed, 0 to remove and 0 not upgraded.
Need to get 0 B/2.5 MB of archives.
Setting up jq (1.7.1-6) ...`

test('downloaded bytes and installed packages are counted', () => {
  const counter = new PackageCounter()
  const states = output.split('\n').map((line) => (counter.read(line) ? counter.state : undefined))
  expect(states[0]).toBeUndefined()
  expect(states[4]).toMatchObject({ downloadedBytes: 98_500, totalBytes: 1_500_000 })
  // Rounded sizes never exceed the total.
  expect(states[5]).toMatchObject({ downloadedBytes: 1_500_000 })
  expect(states[8]).toMatchObject({ installedPackages: 2, totalPackages: 2 })
  // A package that apt had already is not downloaded.
  expect(counter.state).toEqual({
    downloadedBytes: 1_500_000,
    totalBytes: 1_500_000,
    installedPackages: 3,
    totalPackages: 3,
  })
})
