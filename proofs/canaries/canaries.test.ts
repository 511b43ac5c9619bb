import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest'
import type { SandboxRuntime } from '../../agent/port/sandbox-spec.ts'
import { shellJob } from '../../testing/agent/test-agent.ts'
import { Campaign } from './campaign.ts'
import { newStem, patternsOf } from './canary.ts'
import { Search } from './search.ts'

const run = promisify(execFile)

describe('the search for canaries', () => {
  const stem = newStem()
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sandbox-test-canaries-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it.each([
    ['plain', `a${stem}b`],
    ['base64 after 1', Buffer.from(`a${stem}b`).toString('base64')],
    ['hex', Buffer.from(`a${stem}b`).toString('hex')],
    ['capital hex', Buffer.from(`a${stem}b`).toString('hex').toUpperCase()],
    ['URL', Buffer.from(`a${stem}b`).toString('hex').replaceAll(/../g, '%$&')],
    ['UTF-16', Buffer.from(`a${stem}b`, 'utf16le')],
  ])('finds one as %s, across block boundaries', async (form, bytes) => {
    const search = new Search(patternsOf(stem))
    const path = join(folder, 'file')
    await writeFile(path, 'nothing')
    expect(await search.below(folder)).toEqual([])
    await writeFile(path, Buffer.concat([Buffer.alloc(4 * 1024 * 1024 - 5, 'x'), Buffer.from(bytes)]))
    expect(await search.below(folder)).toContain(`${form} in ${path}`)
    await rm(path)
  })

  it('finds one in a name and in a link', async () => {
    const search = new Search(patternsOf(stem))
    await symlink(`/nowhere/${stem}`, join(folder, 'link'))
    await writeFile(join(folder, `x${stem}`), '')
    expect(await search.below(folder)).toEqual([
      `plain in the link ${join(folder, 'link')}`,
      `plain in the name ${join(folder, `x${stem}`)}`,
    ])
  })
})

describe('the search in a folder of the machine', () => {
  it('leaves out what others have mounted there', async () => {
    const stem = newStem()
    const folder = await mkdtemp(join(tmpdir(), 'sandbox-test-canaries-'))
    const foreign = join(folder, 'foreign')
    await mkdir(foreign)
    await run('mount', ['-t', 'tmpfs', 'tmpfs', foreign])
    try {
      await writeFile(join(foreign, 'theirs'), stem)
      await writeFile(join(folder, 'ours'), stem)
      const search = new Search(patternsOf(stem))
      expect(await search.belowShared(folder, 0)).toEqual([`plain in ${join(folder, 'ours')}`])
      expect(await search.below(foreign)).toEqual([`plain in ${join(foreign, 'theirs')}`])
    } finally {
      await run('umount', [foreign])
      await rm(folder, { recursive: true })
    }
  })
})

describe('files that cannot be read', () => {
  it('are reported, files of the kernel separately from regular ones', async () => {
    const search = new Search(patternsOf(newStem()))
    // A write-only file of the kernel.
    expect(await search.below('/proc/self/task')).toEqual([])
    expect([...search.unread]).toContainEqual(
      expect.stringMatching(/^E[A-Z]+ at \/proc\/self\/task\/\d+\/mem$/),
    )
  })
})

/** An agent that outlives a failed test would keep the test run from its end. */
async function startCampaign(runtime?: SandboxRuntime): Promise<Campaign> {
  const campaign = await Campaign.start(runtime)
  onTestFailed(() => campaign.agent.dispose())
  return campaign
}

describe('secrets of runs', () => {
  it('are only in their program', async () => {
    const campaign = await startCampaign()
    await campaign.round(4)
    await campaign.round(8)
    expect(await campaign.end()).toEqual([])
    expect(campaign.runs).toBe(12)
    expect(campaign.warmRuns).toBeGreaterThan(0)
  })

  it('are in nothing of gVisor that the host sees', async () => {
    const campaign = await startCampaign('runsc')
    await campaign.round(2)
    expect(await campaign.end()).toEqual([])
  })

  it('are found if they are in a specification or in a log', async () => {
    const campaign = await startCampaign()
    const { agent, stem } = campaign
    const spec = shellJob(await agent.image(), `echo ${stem}; exit 0`)
    spec.env = { KEY: Buffer.from(stem).toString('base64') }
    await agent.run(spec)
    await campaign.searchAll()
    const found = [...campaign.found].join('\n')
    expect(found).toMatch(/^plain in .*ticket\.json$/m)
    expect(found).toMatch(/^base64 after 0 in .*ticket\.json$/m)
    expect(found).toMatch(/^plain in .*log\.head$/m)
    expect(await campaign.end()).not.toEqual([])
  })
})
