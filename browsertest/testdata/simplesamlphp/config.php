<?php
// SimpleSAMLphp as the identity provider of the tests. SLIPWAY_IDP_DIR has the keys, the
// users and the metadata of the connections.
$dir = getenv('SLIPWAY_IDP_DIR') . '/';
$config = [
    'baseurlpath' => getenv('SLIPWAY_IDP_URL') . '/',
    'certdir' => $dir,
    'loggingdir' => $dir,
    'datadir' => $dir,
    'tempdir' => $dir . 'tmp',
    'metadatadir' => __DIR__ . '/metadata',
    'secretsalt' => 'only for tests',
    'auth.adminpassword' => bin2hex(random_bytes(16)),
    'admin.checkforupdates' => false,
    'timezone' => 'UTC',
    'errorreporting' => false,
    'logging.level' => SimpleSAML\Logger::INFO,
    'logging.handler' => 'file',
    'logging.logfile' => 'simplesamlphp.log',
    'enable.saml20-idp' => true,
    'module.enable' => ['exampleauth' => true, 'core' => true, 'saml' => true],
    'session.cookie.secure' => false,
    'session.cookie.samesite' => 'Lax',
    'session.phpsession.savepath' => $dir . 'sessions',
    'language.cookie.secure' => false,
    'language.cookie.samesite' => 'Lax',
    'store.type' => 'phpsession',
    'metadata.sources' => [['type' => 'flatfile']],
];
if (file_exists($dir . 'service.xml')) {
    $config['metadata.sources'][] = ['type' => 'xml', 'file' => $dir . 'service.xml'];
}
