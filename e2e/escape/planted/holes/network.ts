// biome-ignore-all lint/suspicious/noTemplateCurlyInString: text of source files, which has template strings
import { edit, type Hole, without } from './hole.ts'

export const ofNetwork: Hole[] = [
  {
    name: 'inner addresses',
    edits: [
      without('network/rules.ts', 'meta nfproto ipv4 jump destination4'),
      without('network/rules.ts', 'meta nfproto ipv6 jump destination6'),
    ],
    tries: ['network'],
  },
  {
    name: 'no allow list',
    edits: [edit('network/rules.ts', 'meta mark != 0 meta mark .', 'meta mark 999999 meta mark .')],
    tries: ['allow list'],
  },
  {
    name: 'pulls reach inner addresses',
    edits: [edit('network/rules.ts', 'daddr . tcp dport @registry', 'daddr . tcp dport != @registry')],
    tries: ['pulls'],
  },
  {
    name: 'jobs reach the registry',
    edits: [edit('network/rules.ts', 'saddr @pulls', 'saddr != @pulls')],
    tries: ['pulls'],
  },
  {
    name: 'mirrors for every link',
    edits: [edit('network/mirror-rules.ts', 'ip saddr @mirrored ip daddr', 'ip daddr')],
    tries: ['reach of builds/mirror_unasked'],
  },
  {
    name: 'mirrors past the proxy',
    edits: [
      edit(
        'network/rules.ts',
        '${ip} saddr @pulls${number} ${ip} daddr . tcp dport @registry${number} accept',
        '${ip} daddr . tcp dport @mirrors${number} accept',
      ),
    ],
    tries: ['reach of builds/mirror_itself'],
  },
  {
    name: 'mirrors for jobs',
    edits: [edit('core/spec-check.ts', "need(hasMirrors(spec), 'network.mirrors')", '')],
    tries: ['reach of builds/mirror_of_job'],
  },
]
