<?php
$bindings = 'urn:oasis:names:tc:SAML:2.0:bindings:';
$metadata['__DYNAMIC:1__'] = [
    'host' => '__DEFAULT__',
    'privatekey' => 'idp.key',
    'certificate' => 'idp.crt',
    'auth' => 'users',
    'SingleSignOnServiceBinding' => [$bindings . getenv('SLIPWAY_IDP_BINDING')],
    'saml20.sign.assertion' => true,
    'saml20.sign.response' => true,
    'sign.logout' => true,
    'validate.logout' => true,
    'validate.authnrequest' => true,
    'redirect.validate' => true,
    'assertion.encryption' => true,
    'signature.algorithm' => 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    'attributes.NameFormat' => 'urn:oasis:names:tc:SAML:2.0:attrname-format:basic',
    'NameIDFormat' => 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
    'authproc' => [
        1 => [
            'class' => 'saml:AttributeNameID',
            'attribute' => 'uid',
            'Format' => 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
        ],
    ],
];
