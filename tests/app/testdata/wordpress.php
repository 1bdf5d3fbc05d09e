<?php
// The part of WordPress that the plugin in examples/wordpress uses. It prints what a page with the
// shortcodes has. The address of the website is the first argument.
define('ABSPATH', '/');
$shortcodes = $actions = $scripts = $errors = [];
function add_shortcode($name, $function) { global $shortcodes; $shortcodes[$name] = $function; }
function add_action($name, $function) { global $actions; $actions[$name] = $function; }
function get_option($name, $default) { global $argv; return $name === 'slipway_address' ? slipway_stored() : $default; }
function esc_attr($text) { return htmlspecialchars($text, ENT_QUOTES); }
function esc_url($text) { return htmlspecialchars($text, ENT_QUOTES); }
function esc_url_raw($text) { return preg_match('#^https?://#', $text) ? $text : ''; }
function current_user_can($what) { return false; }
function add_settings_error($setting, $code, $message) { global $errors; $errors[] = $message; }
function register_setting($group, $name, $options) { global $setting; $setting = $options; }
function shortcode_atts($defaults, $given) { return array_merge($defaults, array_intersect_key((array) $given, $defaults)); }
function wp_enqueue_script($name, $url, $needs, $version, $options) { global $scripts; $scripts[$name] = $url; }
$stored = '';
function slipway_stored() { global $stored; return $stored; }

require __DIR__ . '/../../../examples/wordpress/slipway-boats.php';

$actions['admin_init']();
$show = fn ($name, $given) => $shortcodes[$name]($given, '', $name);
echo 'unset: ', $show('slipway_boats', []), "\n";
foreach (['http://example.com', 'javascript:alert(1)', 'ftp://example.com', $argv[1] . '/'] as $address) {
    $stored = $setting['sanitize_callback']($address);
}
echo 'stored: ', $stored, "\n", implode("\n", $errors), "\n";
echo $show('slipway_boats', ['filter' => 'condition=used', 'limit' => '2']), "\n";
echo $show('slipway_boat', ['stock' => '"><script>alert(1)</script>', 'onload' => 'alert(1)']), "\n";
echo $show('slipway_form', ''), "\n";
echo json_encode($scripts, JSON_UNESCAPED_SLASHES), "\n";
