/* The URDF file that the tests of this folder share. */
#ifndef URDF_SAMPLE_H
#define URDF_SAMPLE_H

/* A robot with something of everything. */
static const char everything[] =
    "<?xml version='1.0'?>\n"
    "<!DOCTYPE robot>\n"
    "<robot name='all &amp; sundry' xmlns:xacro='http://www.ros.org/wiki/xacro' xmlns:sensor='urn:s'>\n"
    "  <material name='red'><color rgba='1 0 0 0.5'/></material>\n"
    "  <material name='loud'><color rgba='255 -1 0.25 1'/></material>\n"
    "  <link name='base'>\n"
    "    <inertial><mass value='4'/><inertia ixx='1' ixy='0' ixz='0' iyy='2' iyz='0' izz='2.5'/></inertial>\n"
    "    <visual><geometry><box size='1 2 3'/></geometry><material name='red'/></visual>\n"
    "    <visual><origin xyz='0 0 1' rpy='0 0 1'/><geometry><mesh filename='package://r/m.stl'/></geometry>\n"
    "      <material name='own'><color rgba='0 1 0 1'/></material></visual>\n"
    "    <visual><geometry><ellipsoid radii='1 2 3'/></geometry></visual>\n"
    "    <collision><geometry><box size='not read'/></geometry></collision>\n"
    "  </link>\n"
    "  <link name='arm'>\n"
    "    <inertial><origin xyz='0.1 -0.2 0.3' rpy='1.5707963267948966 0 0'/>\n"
    "      <mass value='2.5'/><inertia ixx='0.1' ixy='0.01' ixz='0.02' iyy='0.2' iyz='0.03' "
    "izz='0.25'/></inertial>\n"
    "    <visual><geometry><cylinder radius='0.1' length='0.5'/></geometry><material name='own'/></visual>\n"
    "    <visual><geometry><sphere radius='0.2'/></geometry><material name='loud'/></visual>\n"
    "    <visual><geometry><capsule radius='0.2' length='0.3'/></geometry><material "
    "name='nobody'/></visual>\n"
    "    <sensor:camera name='c'/>\n"
    "  </link>\n"
    "  <link name='slide'/> <link name='wheel'/> <link name='ball'/> <link name='puck'/> <link name='tip'/>\n"
    "  <joint name='shoulder' type='revolute'><origin xyz='1 2 3' rpy='0.1 0.2 0.3'/>\n"
    "    <parent link='base'/><child link='arm'/><axis xyz='0 0 -2'/>\n"
    "    <limit lower='-1' effort='30' velocity='4'/><dynamics damping='0.5' friction='0.25'/></joint>\n"
    "  <joint name='slider' type='prismatic'><parent link='arm'/><child link='slide'/>\n"
    "    <mimic joint='shoulder' multiplier='-2' offset='0.5'/><safety_controller k_velocity='1'/></joint>\n"
    "  <joint name='spin' type='continuous'><parent link='arm'/><child link='wheel'/><axis xyz='0 1 0'/>\n"
    "    <limit effort='3' velocity='5' lower='-1' upper='1'/></joint>\n"
    "  <joint name='float' type='floating'><parent link='slide'/><child link='ball'/></joint>\n"
    "  <joint name='plane' type='planar'><parent link='wheel'/><child link='puck'/><axis xyz='0 1 "
    "1'/></joint>\n"
    "  <joint name='weld' type='fixed'><parent link='arm'/><child link='tip'/><axis xyz='0 0 0'/>\n"
    "    <origin quat_xyzw='0 0 0.70710678118654752 0.7071067811865476' xyz='0 0 0.4'/></joint>\n"
    "  <transmission name='t'><joint name='shoulder'/></transmission><gazebo reference='arm'/>\n"
    "</robot>\n";

#endif
