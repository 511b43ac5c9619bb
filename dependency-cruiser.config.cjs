// Allowed imports. They go one way: main → http, cli → domain folders → live-logs, work, executor, storage, db,
// postgres → base → contract. A violation fails ./check.

// Each domain may import those before it.
const domainOrder = [
  'access',
  'billing',
  'companies',
  'environments',
  'findings',
  'capacity',
  'builds',
  'secrets',
  'custom-tables',
  'tasks',
  'sessions',
  'runs',
  'doors',
  'agents',
  'notifications',
  'operations',
]
// Within a domain, each folder may import those before it. Mutually dependent folders share an entry.
const folderOrder = {
  billing: ['prices', 'holds', 'budgets', 'usage'],
  companies: ['chatrooms', 'apply', 'settings|storage'],
  environments: ['catalogue', 'uploads', 'versions', 'retention', 'operator'],
  secrets: ['envelope|keys', 'store', 'write', 'approvals', 'slots', 'resolve', 'rotation'],
  'custom-tables': ['catalogue', 'triggers', 'rows', 'commands', 'policies', 'callbacks'],
  tasks: ['inputs/schema', 'catalogue|shares|versions|files|bindings', 'inputs(?!/schema)', 'menu'],
  sessions: ['trees|catalogue', 'files|runs'],
  runs: [
    'history',
    'queue|prepare|drive|results',
    'callbacks',
    'read',
    'submit',
    'triggers',
    'downloads',
    'links',
    'retention',
  ],
  doors: ['catalogue', 'programs', 'terminal'],
  agents: ['turns', 'proposals'],
  operations: ['audit', 'host', 'backup'],
}
const domains = `^server/(${domainOrder.join('|')})/`
const mechanisms =
  '^server/(archives|images|state-watch|live-logs|work|executor|storage|db|postgres|confine|native-programs)/'
// Each folder of builds may import those before it; the worker is above all of them.
const buildFolders = [
  'admission',
  'attempts',
  'request',
  'cache',
  'logs',
  'reports',
  'curated',
  'sandboxes',
  'bases',
  'builder',
  'steps',
  'chain',
]
const tests =
  '([.]test[.]ts$|^(proofs|testing|tools)/|^server/executor/(conformance|oci/(testing|network/rebinds))/|conformance[.]ts$)'

// Files that import each other's types, with runtime imports in one direction only. Do not add entries.
const typeCircles = [
  // A snapshot of a run has the type that reading it returns.
  'server/runs/read/(read-runs|run-snapshots)[.]ts',
]

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles-of-code',
      comment: 'A circle cannot be read bottom-up.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-cycles',
      comment:
        'Modules form layers: no import circles, type-only imports included. Circles of running code have no exception.',
      severity: 'error',
      from: { pathNot: `^(${typeCircles.join('|')})$` },
      to: { circular: true },
    },
    {
      name: 'contract-imports-no-other-part',
      comment: 'The contract runs in a browser: no server, no Node.',
      severity: 'error',
      from: { path: '^contract/', pathNot: tests },
      to: { path: ['^(server|cli|proofs|testing|tools|e2e|bench)/', '^node:'] },
    },
    {
      name: 'contract-needs-no-node',
      comment: 'The contract runs in a browser.',
      severity: 'error',
      from: { path: '^contract/', pathNot: tests },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'base-imports-only-the-contract',
      comment: 'All folders may import base; base imports only the contract.',
      severity: 'error',
      from: { path: '^server/base/', pathNot: tests },
      to: { path: '^server/', pathNot: '^server/base/' },
    },
    {
      name: 'archives-import-only-base',
      comment: 'Code that reads hostile bytes in a confined process loads only what it needs.',
      severity: 'error',
      from: { path: '^server/archives/', pathNot: tests },
      to: { path: '^server/', pathNot: '^server/(archives|base|confine)/' },
    },
    {
      name: 'images-import-no-domain',
      comment: 'Images are documents, bytes by digest and signatures: they import no domain.',
      severity: 'error',
      from: { path: '^server/images/', pathNot: tests },
      to: {
        path: '^server/',
        pathNot: '^server/(images|archives|base|storage|executor/port/|db/tables)',
      },
    },
    ...buildFolders.slice(0, -1).map((folder, index) => ({
      name: `${folder}-of-builds-imports-only-earlier-folders`,
      comment: 'Imports between the folders of builds go one way too.',
      severity: 'error',
      from: { path: `^server/builds/${folder}/`, pathNot: tests },
      to: { path: `^server/builds/(${buildFolders.slice(index + 1).join('|')})/|^server/builds/[^/]+$` },
    })),
    {
      name: 'mechanisms-import-no-domain',
      comment:
        'Archives, images, work, executor, storage and database are mechanisms for all domains, and import none of them.',
      severity: 'error',
      from: { path: mechanisms, pathNot: tests },
      to: { path: [domains, '^server/(http|main|agent-tools|mcp)/'] },
    },
    {
      name: 'executor-imports-only-base',
      comment: 'The host agent runs as root and is small: no database, no storage, no tenant data.',
      severity: 'error',
      from: { path: '^server/executor/', pathNot: tests },
      to: { path: '^server/', pathNot: '^server/(executor|base|native-programs)/' },
    },
    {
      name: 'agent-code-only-in-the-agent',
      comment: 'Code that runs as root is called through its socket: only its entry point imports it.',
      severity: 'error',
      from: {
        path: '^(server|cli)/',
        pathNot: `${tests}|^server/executor/oci/agent/|^server/main/agent[.]ts$`,
      },
      to: { path: '^server/executor/oci/agent/' },
    },
    {
      name: 'client-imports-only-the-protocol',
      comment: 'Worker and agent share the protocol and the ports.',
      severity: 'error',
      from: { path: '^server/executor/oci/(client|protocol)/', pathNot: tests },
      to: { path: '^server/executor/oci/', pathNot: '^server/executor/oci/(client|protocol)/' },
    },
    {
      name: 'worker-loads-no-agent',
      comment: 'Not even indirectly: only the root process loads the code that confines sandboxes.',
      severity: 'error',
      from: { path: '^server/main/(api|worker)[.]ts$' },
      to: { path: '^server/executor/oci/(agent|bundle|host|native|network)/', reachable: true },
    },
    {
      name: 'agent-is-only-executor',
      comment: 'The process that remains root has no database, no storage and no tenant data.',
      severity: 'error',
      from: { path: '^server/main/agent[.]ts$' },
      to: {
        path: '^server/',
        pathNot: '^server/(executor|base|native-programs|main/supervisor|postgres/account[.]ts)',
      },
    },
    ...domainOrder.slice(0, -1).map((domain, index) => ({
      name: `${domain}-imports-only-earlier-domains`,
      comment: 'Imports between domains go one way too.',
      severity: 'error',
      from: { path: `^server/${domain}/`, pathNot: tests },
      to: { path: `^server/(${domainOrder.slice(index + 1).join('|')})/` },
    })),
    ...Object.entries(folderOrder).flatMap(([domain, folders]) =>
      folders.slice(0, -1).map((folder, index) => ({
        name: `${domain}-${folder.replaceAll(/\W+/g, '-')}-imports-only-earlier-folders`,
        comment: 'Folders of a domain do not depend on each other in circles.',
        severity: 'error',
        from: { path: `^server/${domain}/(${folder})/`, pathNot: tests },
        to: { path: `^server/${domain}/(${folders.slice(index + 1).join('|')})/` },
      })),
    ),
    {
      name: 'companies-import-no-subfolder',
      comment: 'Chatrooms, settings and storage belong to companies, departments and users, not the reverse.',
      severity: 'error',
      from: { path: '^server/companies/[^/]+$', pathNot: tests },
      to: { path: '^server/companies/[^/]+/' },
    },
    {
      name: 'settings-use-their-own-stores',
      comment: 'A domain uses another through its service.',
      severity: 'error',
      from: { path: '^server/companies/(settings|storage)/', pathNot: tests },
      to: { path: '-store[.]ts$', pathNot: '^server/companies/(settings|storage)/' },
    },
    {
      name: 'operations-use-their-own-stores',
      comment: 'Audit, host and backup are independent of each other.',
      severity: 'error',
      from: { path: '^server/operations/([^/]+)/', pathNot: tests },
      to: { path: '-store[.]ts$', pathNot: '^server/operations/$1/' },
    },
    {
      name: 'routes-import-no-other-area',
      comment: 'Routes of one area do not import those of another.',
      severity: 'error',
      from: { path: '^server/http/routes/([^/]+)/', pathNot: tests },
      to: { path: '^server/http/routes/', pathNot: '^server/http/routes/$1/' },
    },
    {
      name: 'domains-import-no-transport',
      comment: 'A use case does not depend on its caller.',
      severity: 'error',
      from: { path: domains, pathNot: tests },
      to: { path: '^server/(http|main|agent-tools|mcp)/' },
    },
    {
      name: 'transports-use-services',
      comment: 'A route parses, calls one service function and renders: it has no store.',
      severity: 'error',
      from: { path: '^server/(http|agent-tools|mcp)/', pathNot: tests },
      to: { path: '-store[.]ts$' },
    },
    {
      name: 'a-store-belongs-to-its-folder',
      comment: 'A domain uses another through its service.',
      severity: 'error',
      from: { path: '^server/([^/]+)/', pathNot: `${tests}|^server/(main|companies)/` },
      to: { path: '-store[.]ts$', pathNot: '^server/$1/' },
    },
    {
      name: 'companies-use-stores-of-access',
      comment: 'Companies write users and memberships, so they may import the stores of access.',
      severity: 'error',
      from: { path: '^server/companies/', pathNot: tests },
      to: { path: '-store[.]ts$', pathNot: '^server/(companies|access)/' },
    },
    {
      name: 'entry-points-only-for-the-cli',
      comment: 'Entry points create the objects; only the command line imports them.',
      severity: 'error',
      from: { path: '^server/', pathNot: `${tests}|^server/main/` },
      to: { path: '^server/main/', pathNot: '^server/main/supervisor/processes/ready-message[.]ts$' },
    },
    {
      name: 'clients-use-the-contract',
      comment:
        'Scenarios are external clients over HTTP. Shared helpers are the seeded random numbers, the test registry and the mail server. The test of a check makes what the check must find.',
      severity: 'error',
      from: {
        path: '^e2e/',
        pathNot: '^e2e/(vitest[.]config[.]ts$|escape/)|^e2e/crash/checks/[^/]+[.]test[.]ts$',
      },
      to: {
        path: '^(server|proofs|testing|tools)/',
        pathNot: '^(server/base/seeded-random|testing/mail-server|testing/registry/registry-fixture)[.]ts$',
      },
    },
    {
      name: 'escapes-use-the-executor',
      comment: 'Escape tests start sandboxes as the worker does, and import nothing else.',
      severity: 'error',
      from: { path: '^e2e/escape/' },
      to: { path: '^(server|proofs|testing|tools)/', pathNot: '^server/executor/' },
    },
    {
      name: 'commands-use-entry-points',
      comment: 'The command line starts the service through its entry points.',
      severity: 'error',
      from: { path: '^cli/', pathNot: tests },
      to: { path: '^server/', pathNot: '^server/main/' },
    },
    {
      name: 'nothing-imports-tests',
      comment: 'Shipped code does not import tests and proofs.',
      severity: 'error',
      from: { path: '^(contract|server|cli)/', pathNot: tests },
      to: { path: tests },
    },
    {
      name: 'nothing-imports-proofs-or-tools',
      comment: 'They are separate programs; shared test code is in testing.',
      severity: 'error',
      from: { pathNot: '^(proofs|tools)/' },
      to: { path: '^(proofs|tools)/' },
    },
    {
      name: 'proofs-need-no-tools',
      comment: 'Generators of documents do not import proofs.',
      severity: 'error',
      from: { path: '^proofs/' },
      to: { path: '^tools/' },
    },
    {
      name: 'declared-packages-only',
      comment: 'A package that no manifest names may be missing elsewhere.',
      severity: 'error',
      from: { path: '^(contract|server|cli|proofs|testing|tools)/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'resolvable',
      comment:
        'An unresolved import would pass all other rules. The samples import the packed client, which their test installs.',
      severity: 'error',
      from: { pathNot: '^client/samples/' },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // client/dist is what the package of the client is made of.
    exclude: { path: '^client/dist/|node_modules/(?!@sandbox-jobs)' },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
