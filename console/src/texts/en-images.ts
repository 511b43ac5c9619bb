import { numbersOf } from './numbers.ts'

const { number, counted } = numbersOf('en')

/** Texts about images: their packages, findings and provenance, and how two of them differ. */
export const enImages = {
  images: {
    parts: {
      label: 'Parts of the version',
      version: 'Version',
      packages: 'Packages',
      findings: 'Findings',
      provenance: 'Provenance',
      compare: 'Compare',
    },
    forManagers: 'Only people who look after the environment see this.',
    package: 'Package',
    version: 'Version',
    kind: 'Kind',
    search: 'Search packages',
    downloadSbom: 'Download as CycloneDX',
    packageCount: (shown: number, all: number) =>
      shown === all
        ? counted(all, 'package', 'packages')
        : `${number.format(shown)} of ${counted(all, 'package', 'packages')}`,
    incomplete: 'The list lacks packages: a limit was reached, or files could not be read.',
    noReport: 'There is no scan of its last build: the build did not get so far, or the scan was removed.',
    notSigned: 'The image is not signed: no build has finished.',
  },
  scans: {
    title: (name: string) => `Findings of ${name}`,
    why: 'Findings are advice: none of them fails a build or a run.',
    ofEnvironment: 'Findings of all versions, and accepted ones',
    found: 'Found',
    none: 'nothing',
    noneMatches: 'No finding matches.',
    severity: 'Severity',
    severities: {
      critical: 'Critical',
      high: 'High',
      medium: 'Medium',
      low: 'Low',
      unknown: 'Unknown',
    },
    rule: 'Rule',
    subject: 'Where',
    installed: 'Installed',
    fixed: 'Fixed in',
    about: 'About',
    system: 'System',
    read: 'Read',
    readCount: (files: string, bytes: string, packages: string) =>
      `${files} files of ${bytes}, ${packages} packages`,
    database: 'List of vulnerabilities',
    databaseOf: (revision: number) => `Import ${number.format(revision)}, from`,
    noDatabase: 'Not compared: the operator has imported no list of vulnerabilities.',
    unread: 'Files that could not be read',
    truncated: 'A limit was reached, and findings are left out.',
    versions: (installed: string, fixed: string) =>
      fixed === '' ? `Installed ${installed}, not fixed yet.` : `Installed ${installed}, fixed in ${fixed}.`,
    firstSeen: 'First found',
    accept: 'Accept',
    acceptNamed: (rule: string) => `Accept ${rule}`,
    accepted: 'Accepted:',
    until: 'until',
    noReason: 'Write why it is accepted.',
    time: 'For how long',
    days: (count: number) => counted(count, 'day', 'days'),
    untilRevoked: 'Until it is revoked',
    revoke: 'Revoke',
    revokeNamed: (rule: string) => `Revoke the acceptance of ${rule}`,
    revokeWhy: 'The finding counts again.',
  },
  provenance: {
    proves:
      'The service signed this statement when the image had passed its checks. It proves which archive and which base images the image was made from, by which builder, and that nobody has changed it since. It does not say that the Dockerfile does no harm.',
    image: 'Image',
    archive: 'Archive',
    content: 'Content of the archive',
    bases: 'Base images',
    earlier: 'Parts of earlier builds',
    reused: 'Reused from build',
    build: 'Build ended',
    builder: 'Builder',
    runner: 'Layer of the platform',
    signedBy: 'Signed with key',
    trusted: 'a key of this service',
    notTrusted: 'not a key of this service',
    download: 'Download the statement',
    downloadImage: 'Download the image',
    verify: 'Verify it on another machine',
    verifyWhy: 'The last command needs no network. Get the keys from somebody whom you trust.',
  },
  compare: {
    skipped: (count: number) => counted(count, 'line is the same', 'lines are the same'),
    with: 'Compared with',
    noOther: 'There is no other version to compare it with.',
    same: 'the same',
    notKnown: 'not known',
    change: 'Change',
    changes: { added: 'added', removed: 'removed', changed: 'changed' },
    before: 'Before',
    after: 'Now',
    compressed: 'Compressed size',
    packages: (added: number, removed: number, changed: number) =>
      `${number.format(added)} added, ${number.format(removed)} removed, ${number.format(changed)} with another version`,
    newFindings: (count: number) => counted(count, 'new finding', 'new findings'),
    goneFindings: (count: number) => counted(count, 'finding is gone', 'findings are gone'),
  },
  taskChanges: {
    title: 'Changes for users',
    none: 'Nothing changes for people who run it.',
    first: 'It is the first version that people can run.',
    since: (at: number) => `Changes for users since version ${number.format(at)}`,
    rooms: (count: number) =>
      count === 0
        ? 'No room offers this task yet.'
        : `${counted(count, 'room offers', 'rooms offer')} this task, each in the version that it accepted.`,
    fields: {
      added: (path: string) => `The form has a new field: ${path}.`,
      added_required: (path: string) => `The form has a new field, which is required: ${path}.`,
      removed: (path: string) => `The form no longer has the field ${path}.`,
      required: (path: string) => `The field ${path} is required.`,
      optional: (path: string) => `The field ${path} is no longer required.`,
      type: (path: string) => `The field ${path} takes another type of value.`,
      changed: (path: string) => `The field ${path} has other rules or texts.`,
    },
    newSecrets: (names: string) => `It needs further secrets, which have to be stored or approved: ${names}.`,
    droppedSecrets: (names: string) => `It no longer gets the secrets ${names}.`,
    timeout: (before: string, after: string) => `A run is stopped after ${after}, no longer after ${before}.`,
    others: {
      schema: 'The schema of the input has other rules.',
      confirmed: 'A person has to confirm what an agent submits.',
      not_confirmed: 'Nobody has to confirm what an agent submits.',
      instructions: 'The instructions are different.',
      environment: 'It runs on another environment.',
    },
    variables: 'Variables',
    outputPolicy: 'Output policy',
    bundle: 'Bundle',
  },
}

export type EnImages = typeof enImages
